"""ODE (ode.cpp): QuickStep with 20 sweeps by default, the direct solver (dWorldStep) where it is tuned."""

import pathlib
import subprocess

KINDS = {"box": 0, "ball": 1, "capsule": 2, "cylinder": 3}


def question(scene, mode, every):
    quick = 0 if mode["tuned"] and not mode.get("quick") else 1
    frames = round(scene["seconds"] * 60)
    gx, gy, gz = scene["gravity"]
    iterations = 200 if mode["tuned"] else 20
    lines = [f"step {mode['h']:.17g} {round(1 / 60 / mode['h'])} {every} {frames} {quick} {iterations} {scene['friction']} {int(scene['ground'])} {int(scene['collides'])} {int(mode['tuned'])} {gx} {gy} {gz}"]
    index = {"world": -1}
    for i, b in enumerate(scene["bodies"]):
        index[b["name"]] = i
        (kind, what), = b["shape"].items()
        sizes = [*what] if kind == "box" else [what, 0, 0] if kind == "ball" else [what["half"], what["radius"], "xyz".index(what["axis"])]
        lines.append("body " + " ".join("%.17g" % v for v in [b["mass"], *b["inertia"], *b["position"]]) + f" {KINDS[kind]} " + " ".join("%.17g" % v for v in sizes))
    for j in scene["joints"]:
        motor = j.get("motor")
        numbers = [0, 0, 0, 0]
        if motor:
            numbers = [1, motor["speed"], motor["torque"], 0] if "speed" in motor else [2, motor["target"], motor["stiffness"], motor["damping"]]
        text = " ".join("%.17g" % v for v in [*j["anchor"], *j["axis"]])
        lines.append(f"joint {0 if j['kind'] == 'hinge' else 1} {index[j['a']]} {index[j['b']]} {text} " + " ".join("%.17g" % v for v in numbers))
    return "\n".join(lines) + "\n"


def run(scene, mode, every, folder):
    done = subprocess.run([str(pathlib.Path(folder) / "ode")], input=question(scene, mode, every), capture_output=True, text=True)
    lines = done.stdout.split("\n")
    if done.returncode or not lines[-2:-1] or not lines[-2].startswith("cpu"):
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"ended with status {done.returncode}")
    rows = [[float(v) for v in line.split()] for line in lines[:-2]]
    count = len(scene["bodies"])
    samples = [rows[i : i + count] for i in range(0, len(rows), count)]
    return {"cpu_ms": float(lines[-2].split()[1]), "samples": samples, "note": ""}


def version(folder):
    return (pathlib.Path(folder) / "ode.version").read_text().strip()
