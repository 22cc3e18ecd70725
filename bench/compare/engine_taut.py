"""taut, by its command: one step per frame with the defaults, whatever the mode asks for but a smaller step."""

import csv
import json
import pathlib
import subprocess
import tempfile

TURNS = {"x": [0.7071067811865476, 0, 0.7071067811865476, 0], "y": [0.7071067811865476, 0.7071067811865476, 0, 0], "z": [1, 0, 0, 0]}


def collider(shape, collides):
    (kind, what), = shape.items()
    groups = {} if collides else {"collision_groups": {"membership": 0, "mask": 0}}
    if kind == "box":
        return {"shape": {"box": {"half_extents": what}}, **groups}
    if kind == "ball":
        return {"shape": {"ball": {"radius": what}}, **groups}
    length = "half_length" if kind == "capsule" else "half_height"
    return {"shape": {kind: {length: what["half"], "radius": what["radius"]}}, "orientation": TURNS[what["axis"]], **groups}


def scene_file(scene, h):
    bodies, joints = [], []
    places = {b["name"]: b["position"] for b in scene["bodies"]}
    for b in scene["bodies"]:
        made = {"name": b["name"], "position": b["position"], "colliders": [collider(b["shape"], scene["collides"])]}
        made |= {"mass": b["mass"], "inertia": b["inertia"]} if b["mass"] else {"kind": "fixed"}
        bodies.append(made)
    for i, j in enumerate(scene["joints"]):
        made = {"type": j["kind"], "name": f"j{i}", "a": j["a"], "b": j["b"]}
        made["anchor_b"] = [p - q for p, q in zip(j["anchor"], places[j["b"]])]
        if j["kind"] == "hinge":
            made["axis_b"] = j["axis"]
        motor = j.get("motor")
        if motor and "speed" in motor:
            made["motor"] = {"velocity": {"target": motor["speed"], "max_force": motor["torque"]}}
        elif motor:
            # A spring and a damper, which is what the others have, not a servo.
            made["passive"] = {"stiffness": motor["stiffness"], "damping": motor["damping"], "rest": motor["target"]}
        joints.append(made)
    text = {"version": 1, "dt": h, "gravity": scene["gravity"], "duration": scene["seconds"], "bodies": bodies, "joints": joints}
    text["materials"] = {"default": {"friction": scene["friction"]}}
    if scene["ground"]:
        text["ground"] = {"height": 0}
    return text


def run(scene, mode, every, command):
    h, parts = mode["h"], round(1 / 60 / mode["h"])
    with tempfile.TemporaryDirectory() as folder:
        path, poses = pathlib.Path(folder) / "scene.json", pathlib.Path(folder) / "poses.csv"
        path.write_text(json.dumps(scene_file(scene, h)))
        frames = round(scene["seconds"] / h)
        line = [command, "run", str(path), "--frames", str(frames), "--poses", str(poses), "--json"]
        done = subprocess.run(line, capture_output=True, text=True)
        if not done.stdout.strip():
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        report = json.loads(done.stdout)
        order = {b["name"]: i for i, b in enumerate(scene["bodies"])}
        samples = {}
        with open(poses, newline="") as file:
            for row in csv.reader(file):
                if row[0] == "frame":
                    continue
                frame = int(row[0])
                if frame % (every * parts) == 0 and row[2] in order:
                    samples.setdefault(frame, [None] * len(order))[order[row[2]]] = [float(v) for v in row[3:16]]
    chosen = [samples[f] for f in sorted(samples) if f > 0]
    note = "" if done.returncode == 0 else f"exit status {done.returncode}"
    return {"cpu_ms": report["cpu_ms"]["mean"] * parts, "samples": chosen, "note": note}


def version(command):
    return subprocess.run([command, "--version"], capture_output=True, text=True).stdout.split()[-1]
