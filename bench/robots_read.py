"""What taut reads in robots' files, beside what MuJoCo reads.

    python bench/robots_read.py MENAGERIE [folder ...] --taut target/release/taut [--out table.md]

Needs MuJoCo's wheel and a copy of https://github.com/google-deepmind/mujoco_menagerie; nothing of it is copied. Every
file that MuJoCo loads is compared, in its first keyframe: masses, centres of mass and inertias of bodies (those
that are fixed to one another are one), poses after forward kinematics, axes, anchors and limits of joints; and accelerations from rest without
contacts, limits, friction, dampers, equalities and actuators, which flags switch off for both. taut's accelerations are
those of four short steps, extrapolated to steps of no length; short is 0.2 ms or, where springs are stiff, 0.02 ms. Steps that the engine does in parts, or takes energy from, are passed
over where there are others.
"""

import argparse
import collections
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

from robots import complete

# What leaves gravity, springs and inertia alone.
STILL = '<option><flag constraint="disable" actuation="disable" damper="disable"/></option>'
BITS = mujoco.mjtDisableBit
STILL_BITS = int(BITS.mjDSBL_CONSTRAINT) | int(BITS.mjDSBL_ACTUATION) | int(BITS.mjDSBL_DAMPER)
NO_CONTACT = '<option><flag contact="disable"/></option>'
# [s], of the longer range; the shorter one has a tenth.
STEPS = [2e-4 * k for k in (1, 2, 1.5, 3, 1.25, 2.5, 1.75, 2.25, 2.75, 3.5, 1.1, 1.9, 2.1, 4, 5, 6, 7, 8, 9, 10)]
HINGE, SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)


def taut(command: list[str]) -> str:
    """What the command prints; or why it did not run."""
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if run.returncode == 2:
        lines = [line for line in run.stderr.splitlines() if "warning" not in line]
        raise RuntimeError(lines[0] if lines else "exit status 2")
    return run.stdout


def rotation(quaternion) -> np.ndarray:
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quaternion, dtype=float))
    return matrix.reshape(3, 3)


def at_start(model: mujoco.MjModel) -> mujoco.MjData:
    """The model at rest in its first keyframe."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qvel[:] = 0
    mujoco.mj_forward(model, data)
    return data


class Masses(dict):
    """Mass, centre and inertia of MuJoCo's bodies that are fixed to one another, in the world, by the first one's id."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData):
        parts = collections.defaultdict(list)
        for i in range(1, model.nbody):
            frame = data.ximat[i].reshape(3, 3)
            inertia = frame @ np.diag(model.body_inertia[i]) @ frame.T
            parts[model.body_weldid[i]].append((model.body_mass[i], data.xipos[i].copy(), inertia))
        for body, own in parts.items():
            mass = sum(m for m, _, _ in own)
            centre = sum(m * c for m, c, _ in own) / mass if mass > 0 else own[0][1]
            total = np.zeros((3, 3))
            for m, c, inertia in own:
                d = c - centre
                total += inertia + m * (d @ d * np.eye(3) - np.outer(d, d))
            self[body] = (mass, centre, total)


def compare_reading(model: mujoco.MjModel, scene: dict, limited: dict) -> dict:
    """The largest differences, by what differs; `limited` is the scene with its limits."""
    data = at_start(model)
    worst = collections.defaultdict(float)
    masses = Masses(model, data)
    bodies = {b["name"]: b for b in scene["bodies"]}
    size = max(1e-3, np.ptp(data.xipos, axis=0).max())

    def worse(what: str, value: float, where: str) -> None:
        if not value <= worst[what]:
            worst[what] = float(value)
            worst[what + " at"] = where

    for i, (mass, centre, inertia) in masses.items():
        name = model.body(i).name
        ours = bodies.get(name)
        if ours is None or ours.get("mass") is None or i == 0:
            continue
        worse("mass", abs(ours["mass"] - mass) / mass, name)
        turn = rotation(ours["orientation"])
        at = np.array(ours["position"])
        worse("pose", np.abs(at - data.xpos[i]).max(), name)
        worse("pose", np.abs(turn - data.xmat[i].reshape(3, 3)).max(), name)
        worse("centre", np.abs(at + turn @ ours["centre_of_mass"] - centre).max() / size, name)
        x, y, z = ours["inertia"]
        xy, yz, zx = ours.get("inertia_products", (0, 0, 0))
        own = turn @ np.array([[x, xy, zx], [xy, y, yz], [zx, yz, z]]) @ turn.T
        worse("inertia", np.abs(own - inertia).max() / np.abs(inertia).max(), name)
        worst["bodies"] += 1
    joints = {j["name"]: j for j in scene.get("joints", []) if "name" in j}
    bounds = {j["name"]: j for j in limited.get("joints", []) if "name" in j}
    for j in range(model.njnt):
        name = model.joint(j).name
        ours, kind = joints.get(name), int(model.jnt_type[j])
        if ours is None or kind not in (HINGE, SLIDE):
            continue
        body = bodies[ours["b"]]
        turn, at = rotation(body["orientation"]), np.array(body["position"])
        axis, anchor = turn @ ours["axis_b"], at + turn @ np.array(ours.get("anchor_b", (0, 0, 0)))
        worse("axis", np.abs(axis - data.xaxis[j]).max(), name)
        if kind == HINGE:
            off = anchor - data.xanchor[j]
            worse("axis", np.abs(off - axis * (off @ axis)).max(), name)
        limited = bounds.get(name)
        if model.jnt_limited[j] and limited is not None:
            low, high = model.jnt_range[j]
            # Limits count from the start, which is within them.
            start = min(max(data.qpos[model.jnt_qposadr[j]], low), high)
            found = limited.get("limits") or {"min": np.nan, "max": np.nan}
            worse("limits", max(abs(found["min"] - low + start), abs(found["max"] - high + start)), name)
        worst["joints"] += 1
    return worst


def velocities(command: str, file: pathlib.Path, step: float) -> tuple[float, dict]:
    """How much the engine meddled with one step from rest, and the velocities of all bodies after it."""
    poses = file.with_suffix(".csv")
    run = taut([command, "run", str(file), "--frames", "1", "--dt", repr(step), "--poses", str(poses), "--json"])
    report = json.loads(run)
    meddled = report["halved_steps"] + report["energy_taken"] / max(abs(report["work"]), 1e-300)
    with poses.open() as lines:
        rows = {r["body"]: r for r in csv.DictReader(lines)}
    return meddled, {n: np.array([float(r[k]) for k in ("vx", "vy", "vz", "wx", "wy", "wz")]) for n, r in rows.items()}


def extrapolated(runs: list) -> dict:
    """Accelerations by the polynomial through the velocities after steps of several lengths, at no length."""
    h = [step for step, _, _ in runs]
    weights = [np.prod([b / (b - a) for b in h if b != a]) / a for a in h]
    return {n: sum(w * run[n] for w, (_, _, run) in zip(weights, runs)) for n in runs[0][2]}


def accelerations(command: str, scene: dict, folder: pathlib.Path) -> dict:
    """Of all bodies, by the four steps with which the engine meddled least; of two ranges that in which three steps agree better with four."""
    for body in scene["bodies"]:
        body["velocity"], body["angular_velocity"], body["visual"] = [0.0] * 3, [0.0] * 3, []
        if "mass" in body:
            body["colliders"] = []
    scene["scenery"] = []
    file = folder / "still.json"
    file.write_text(json.dumps(scene))
    best: tuple = (np.inf, {})
    for scale in (1.0, 0.1):
        runs: list = []
        for step in STEPS:
            runs.append((scale * step, *velocities(command, file, scale * step)))
            if sum(meddled < 1e-9 for _, meddled, _ in runs) == 4:
                break
        runs = sorted(runs, key=lambda run: run[1])[:4]
        three, four = extrapolated(runs[:3]), extrapolated(runs)
        apart = max((np.abs(three[n] - four[n]).max() / max(9.81, np.abs(four[n]).max()) for n in four), default=0.0)
        if apart < best[0]:
            best = (apart, four)
        if apart < 1e-7:
            break
    return best[1]


def compare_accelerations(model: mujoco.MjModel, scene: dict, command: str, folder: pathlib.Path) -> tuple[float, str]:
    """The largest difference of accelerations, linear and angular each against the model's largest, and where."""
    data = at_start(model)
    ours = accelerations(command, scene, folder)
    pairs = []
    for i, (_, centre, _) in Masses(model, data).items():
        name = model.body(i).name
        if i == 0 or name not in ours:
            continue
        linear, angular = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, linear, angular, centre, i)
        pairs.append((name, ours[name], np.concatenate([linear @ data.qacc, angular @ data.qacc])))
    if not pairs:
        return 0.0, ""
    largest = [max(9.81, max(np.abs(t[:3]).max() for _, _, t in pairs)), max(1.0, max(np.abs(t[3:]).max() for _, _, t in pairs))]
    found = [(max(np.abs(o - t)[:3].max() / largest[0], np.abs(o - t)[3:].max() / largest[1]), n) for n, o, t in pairs]
    return max(found)


def compare(command: str, model: mujoco.MjModel, folder: pathlib.Path, file: pathlib.Path) -> dict:
    """All differences of one file."""
    scenes = []
    for flags in (NO_CONTACT, STILL):
        wrapper, scene = folder / "taut-read.xml", folder / "taut-scene.json"
        wrapper.write_text(f'<mujoco><include file="{file.name}"/>{flags}</mujoco>')
        taut([command, "export", str(wrapper), "--out", str(scene)])
        scenes.append(json.loads(scene.read_text()))
        wrapper.unlink()
    limited, still = scenes
    found = compare_reading(model, still, limited)
    model.opt.disableflags |= STILL_BITS
    # Else it is an actuator that compensates gravity, and switched off.
    model.jnt_actgravcomp[:] = 0
    found["acceleration"], found["acceleration at"] = compare_accelerations(model, still, command, folder)
    return found


BOUNDS = {"mass": 1e-9, "centre": 1e-9, "pose": 1e-9, "axis": 1e-9, "limits": 1e-9, "inertia": 1e-5, "acceleration": 1e-6}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("menagerie", type=pathlib.Path)
    parser.add_argument("--taut", default="target/release/taut")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("folders", nargs="*")
    args = parser.parse_args()
    rows, within = [], 0
    names = args.folders or sorted(p.name for p in args.menagerie.iterdir() if p.is_dir())
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / name
            shutil.copytree(args.menagerie / name, folder, copy_function=os.symlink)
            for file in sorted(folder.glob("*.xml")):
                try:
                    model, missing = complete(folder, file)
                except ValueError as error:
                    print(name, file.name, "MuJoCo:", str(error).splitlines()[0][:100], file=sys.stderr, flush=True)
                    continue
                try:
                    found = compare(args.taut, model, folder, file)
                except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
                    print(name, file.name, "FAILED", str(error)[:300], file=sys.stderr, flush=True)
                    rows.append([f"{name}/{file.name}", "", "", *[""] * len(BOUNDS), str(error)[:80]])
                    continue
                over = [w for w in BOUNDS if not found.get(w, 0.0) <= BOUNDS[w]]
                within += not over
                stand = f" ({missing} stand-ins)" if missing else ""
                figures = [f"{found.get(w, 0.0):.0e}" for w in BOUNDS]
                where = ", ".join(f"{w}: {found.get(w + ' at', '')}" for w in over)
                count = [str(int(found.get(w, 0))) for w in ("bodies", "joints")]
                rows.append([f"{name}/{file.name}{stand}", *count, *figures, where])
                print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    head = ["file", "bodies", "joints", *BOUNDS, "beyond"]
    lines = ["| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head), *rows]]
    text = "\n".join(lines) + f"\n\n{within} of {len(rows)} files within {', '.join(f'{w} {b:g}' for w, b in BOUNDS.items())}.\n"
    if args.out:
        args.out.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
