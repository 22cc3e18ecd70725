#!/usr/bin/env python3
"""Soft bodies of taut beside MuJoCo's flex, in one run: prints the table of docs/SOFT.md.

    cargo build --release -p taut-soft --example soft_press
    python3 bench/soft.py [--taut target/release/examples/soft_press]

A plate of 20, 100 and 1,000 kg on a cube of 8 kg, 0.2 m, E = 1 MPa, nu = 0, of 4 x 4 x 4 cells, whose height is known in closed form. MuJoCo is
installed into target/compare/venv with pip, and runs with steps of 1/60 s and 2 ms (its own), by
its integrator `discrete` (others take flex explicitly, and explode), with contacts as they are by default and as stiff as its step allows: 4 s each, 20 s of taut. CPU time of one thread. Rapier's bodies of finite elements are not among what it publishes for other
languages than Rust; it is not measured here.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOME = ROOT / "target" / "compare"
PACKAGE = "mujoco"
SECONDS = 4.0
# CPU seconds of a run at most; it is then told how far it got.
LIMIT = 120.0
SIDE, OWN = 0.2, 8.0
MASSES = (20.0, 100.0, 1000.0)
# Steps, and time constants of contacts where they are not those by default; MuJoCo wants twice the step at least.
SETTINGS = ((1 / 60, 0.0), (2e-3, 0.0), (2e-3, 4e-3))


def closed_form(mass):
    return SIDE * (1 - (mass + 0.5 * OWN) * 9.81 / (1e6 * SIDE * SIDE))


def taut(program):
    """Lines of the example: mass, height, deepest and ms by step, where contacts have friction."""
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 10 and words[0].replace(".", "").isdigit():
            mass, height, deepest, ms = (float(words[k]) for k in (0, 5, 8, 9))
            found[mass] = {"height": height, "deepest": deepest, "ms": ms}
    return found


MUJOCO = """
import json, mujoco, sys, time
mass, dt, solref, seconds, limit = map(float, sys.argv[1:])
contact = f'solref="{solref} 1"' if solref else ""
model = mujoco.MjModel.from_xml_string(f'''<mujoco><option timestep="{dt}" gravity="0 0 -9.81" integrator="discrete"/><size memory="500M"/><worldbody>
<geom type="plane" size="2 2 .1" {contact}/>
<body pos="0 0 .2225"><freejoint/><geom type="box" size=".15 .15 .02" mass="{mass}" {contact}/></body>
<flexcomp name="b" type="grid" dim="3" count="5 5 5" spacing=".05 .05 .05" mass="8" radius="0.001" pos="0 0 .1012">
<edge equality="false"/><contact selfcollide="none" {contact}/><elasticity young="1e6" poisson="0" damping="0.02"/></flexcomp>
</worldbody></mujoco>''')
data = mujoco.MjData(model)
start, steps, deepest, heights = time.process_time(), 0, 0.0, []
while data.time < seconds and time.process_time() - start < limit:
    mujoco.mj_step(model, data)
    if any(w.number for w in data.warning):
        print(json.dumps({"error": f"unstable after {data.time:.3f} s"}))
        sys.exit()
    steps += 1
    z = data.flexvert_xpos[:, 2]
    deepest = max(deepest, z.max() + .001 - (data.xpos[1, 2] - .02), -(z.min() - .001))
    if data.time > 0.7 * seconds:
        heights.append(z.max() - z.min())
z = data.flexvert_xpos[:, 2]
print(json.dumps({"height": sum(heights) / len(heights) if heights else float(z.max() - z.min()), "deepest": float(deepest),
    "ms": 1e3 * (time.process_time() - start) / (data.time * 60), "plate": float(data.xpos[1, 2]), "time": data.time, "version": mujoco.__version__}))
"""


def mujoco(mass, dt, solref):
    line = [HOME / "venv/bin/python", "-c", MUJOCO, *map(str, (mass, dt, solref, SECONDS, LIMIT))]
    done = subprocess.run(line, capture_output=True, text=True, cwd=HOME)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 and done.stdout else {"error": done.stderr[-200:]}


def number(value, digits):
    return f"{value:.{digits}f}" if abs(value) < 1e3 else "-"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--taut", default=ROOT / "target/release/examples/soft_press")
    arguments = parser.parse_args()
    if not (HOME / "venv").exists():
        subprocess.run([sys.executable, "-m", "venv", HOME / "venv"], check=True)
    subprocess.run([HOME / "venv/bin/python", "-m", "pip", "install", "-q", PACKAGE], check=True)
    own = taut(arguments.taut)
    table = ["| plate kg | engine | height m | off by mm | deepest mm | ms a frame |", "|---|---|---|---|---|---|"]
    for mass in MASSES:
        found = [("taut, 1/60 s", own[mass])]
        for dt, solref in SETTINGS:
            name = f"MuJoCo, {1e3 * dt:.3g} ms" + (f", solref {1e3 * solref:g} ms" if solref else "")
            found.append((name, mujoco(mass, dt, solref)))
        table.append(f"| {mass:g} | closed form | {closed_form(mass):.5f} | | | |")
        for name, run in found:
            if "error" in run:
                table.append(f"| {mass:g} | {name} | {run['error']} | | | |")
                continue
            off = 1e3 * (run["height"] - closed_form(mass))
            cells = [number(run["height"], 5), number(off, 4), number(1e3 * run["deepest"], 4), number(run["ms"], 1)]
            table.append(f"| {mass:g} | {name} | " + " | ".join(cells) + " |")
    print("\n".join(table))


if __name__ == "__main__":
    main()
