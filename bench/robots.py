"""Robots of MuJoCo's Menagerie in taut and in MuJoCo, in one table.

    python bench/robots.py MENAGERIE [folder ...] --taut target/release/taut [--out docs/MENAGERIE.md]

Needs MuJoCo's wheel and a copy of https://github.com/google-deepmind/mujoco_menagerie; nothing of it is copied. Each
scene runs for 5 s from its first keyframe: in taut at 1/60 s a step, in MuJoCo at the step that the model says. Times are
those of the processor for 1/60 s, without reading the file. Meshes that are not in the copy (some hosts leave large files out) are
replaced by a small tetrahedron, for both.
"""

import argparse
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import mujoco

FRAMES = 300
LEFT_OUT = re.compile(r"left out|is not read|never will|are not read")
# About sensors, looks and the air nothing is lost that moves a robot.
HARMLESS = re.compile(r"sensor|keyframe|not seen|fluids|armature and frictionloss of ball")


def tetrahedron(path: pathlib.Path) -> None:
    """Writes a small mesh where one is missing."""
    points = [(0, 0, 0), (0.02, 0, 0), (0, 0.02, 0), (0, 0, 0.02)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() == ".obj":
        lines = ["v %g %g %g" % p for p in points] + ["f %d %d %d" % tuple(i + 1 for i in f) for f in faces]
        path.write_text("\n".join(lines) + "\n")
    else:
        body = b"".join(
            struct.pack("<12fH", 0, 0, 0, *points[a], *points[b], *points[c], 0) for a, b, c in faces
        )
        path.write_bytes(b"\0" * 80 + struct.pack("<I", len(faces)) + body)


def complete(folder: pathlib.Path, scene: pathlib.Path) -> tuple[mujoco.MjModel, int]:
    """The model, with stand-ins for the meshes and pictures that its folder lacks; and how many."""
    count = 0
    for _ in range(500):
        try:
            return mujoco.MjModel.from_xml_path(str(scene)), count
        except ValueError as error:
            found = re.search(r"(?:Error opening|resource not found via provider or OS filesystem:|opening) file '?([^'\n]+?)'?(?:\n|$|:)", str(error))
            if not found:
                raise
            name = pathlib.Path(found.group(1))
            target = name if name.is_absolute() else folder / name
            if target.exists() or target.suffix.lower() not in (".obj", ".stl"):
                raise
            # The reader names files without their folder.
            places = {p for x in folder.glob("*.xml") for p in re.findall(r'(?:meshdir|assetdir)="([^"]+)"', x.read_text())}
            for place in [target] + [folder / p / name.name for p in places]:
                if not place.exists():
                    tetrahedron(place)
            count += 1
    raise ValueError("too many missing files")


def in_mujoco(model: mujoco.MjModel) -> tuple[float, str]:
    """Milliseconds for 1/60 s, and what went wrong."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    steps = max(1, round(1 / 60 / model.opt.timestep))
    gap, start = 0.0, time.process_time()
    for _ in range(FRAMES):
        for _ in range(steps):
            mujoco.mj_step(model, data)
    spent = time.process_time() - start
    rows = data.efc_type[: data.nefc] == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    gap = float(abs(data.efc_pos[: data.nefc][rows]).max()) if rows.any() else 0.0
    return 1e3 * spent / FRAMES, f"{1e3 * gap:.3g}" if rows.any() else ""


def in_taut(taut: str, scene: pathlib.Path) -> dict:
    """What `taut run` says."""
    command = [taut, "run", str(scene), "--frames", str(FRAMES), "--json"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return {"exit": "> 300 s", "lost": [], "warnings": 0}
    warnings = [line for line in run.stderr.splitlines() if "warning" in line]
    lost = [w for w in warnings if LEFT_OUT.search(w) and not HARMLESS.search(w)]
    found = {"exit": run.returncode, "lost": lost, "warnings": len(warnings)}
    if run.returncode == 2:
        found["why"] = [line for line in run.stderr.splitlines() if "warning" not in line][:1]
    if run.stdout.strip():
        found |= json.loads(run.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("menagerie", type=pathlib.Path)
    parser.add_argument("--taut", default="target/release/taut")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("folders", nargs="*")
    args = parser.parse_args()
    rows, whole, total, ran = [], 0, 0, 0
    names = args.folders or sorted(p.name for p in args.menagerie.iterdir() if p.is_dir())
    for name in names:
        scenes = sorted((args.menagerie / name).glob("scene*.xml"))
        if not scenes:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / name
            shutil.copytree(args.menagerie / name, folder)
            scene = folder / scenes[0].name
            try:
                model, missing = complete(folder, scene)
            except ValueError as error:
                print(name, "MuJoCo:", str(error).splitlines()[0][:120], file=sys.stderr)
                continue
            theirs, their_gap = in_mujoco(model)
            ours = in_taut(args.taut, scene)
        total += 1
        imported = not ours["lost"] and ours["exit"] != 2
        whole += imported
        fine = ours["exit"] == 0 and ours["unconverged_steps"] == 0
        ran += fine
        ms = ours.get("cpu_ms", {}).get("mean")
        row = [
            name + (f" ({missing} stand-ins)" if missing else ""),
            str(model.nv),
            f"{model.opt.timestep:g}",
            f"{theirs:.2f}",
            f"{ms:.2f}" if ms is not None else "",
            str(ours["exit"]),
            str(ours.get("unconverged_steps", "")),
            f"{1e3 * ours['max_joint_gap']:.2g}" if "max_joint_gap" in ours else "",
            their_gap,
            f"{1e3 * ours['max_penetration']:.2g}" if "max_penetration" in ours else "",
            str(len(ours["lost"])),
        ]
        rows.append(row)
        print(" | ".join(row), ours.get("why", ""), *ours["lost"][:3], sep="\n    ", file=sys.stderr, flush=True)
    head = ["model", "dofs", "MuJoCo's step (s)", "MuJoCo (ms)", "taut (ms)", "exit", "unconverged", "joints open (mm)", "equalities off in MuJoCo (mm, at the end)", "inside (mm)", "left out"]
    lines = ["| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head), *rows]]
    text = "\n".join(lines)
    text += f"\n\n{whole} of {total} import without an element that matters and is left out; {ran} run 5 s with every step converged and exit 0.\n"
    if args.out:
        args.out.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
