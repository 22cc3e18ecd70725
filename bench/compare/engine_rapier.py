"""Rapier, as WebAssembly in Node.js (rapier.mjs)."""

import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent


def run(scene, mode, every, folder):
    script = pathlib.Path(folder) / "rapier.mjs"
    script.write_text((HERE / "rapier.mjs").read_text())
    question = json.dumps({"scene": scene, "mode": mode, "every": every})
    done = subprocess.run(["node", str(script)], input=question, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "node failed")
    return json.loads(done.stdout)


def version(folder):
    package = pathlib.Path(folder) / "node_modules/@dimforge/rapier3d-compat/package.json"
    return json.loads(package.read_text())["version"]
