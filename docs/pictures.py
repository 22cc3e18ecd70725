#!/usr/bin/env python3
"""Draws the pictures of the README from the project's own runs.

    cargo build --release
    python3 docs/pictures.py

Writes docs/loaded-chain.svg: the chain at every twelfth frame of its first
swing, seen from the side.
"""

import csv
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCALE = 60.0  # pixels per metre
EVERY = 12


def poses(scene, frames):
    """Frame -> [(body, x, z)], in the order of the bodies."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "poses.csv"
        command = [ROOT / "target/release/taut", "run", scene]
        command += ["--frames", str(frames), "--poses", path, "--json"]
        subprocess.run(command, check=True, capture_output=True)
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
    result = {}
    for row in rows:
        place = (row["body"], float(row["x"]), float(row["z"]))
        result.setdefault(int(row["frame"]), []).append(place)
    return result


def chain(frames):
    shots = poses("loaded-chain", frames)
    chosen = [f for f in sorted(shots) if f % EVERY == 0]
    points = [(x, z) for f in chosen for _, x, z in shots[f]] + [(0.0, 0.0)]
    left, right = min(p[0] for p in points) - 0.6, max(p[0] for p in points) + 0.6
    low, high = min(p[1] for p in points) - 0.6, max(p[1] for p in points) + 0.6
    width, height = SCALE * (right - left), SCALE * (high - low)
    place = lambda x, z: (SCALE * (x - left), SCALE * (high - z))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for k, frame in enumerate(chosen):
        shade = 200 - int(170 * (k + 1) / len(chosen))
        colour = f"rgb({shade},{shade},{min(255, shade + 60)})"
        line = " ".join(f"{px:.1f},{pz:.1f}" for px, pz in [place(0, 0)] + [place(x, z) for _, x, z in shots[frame]])
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        x, z = place(*shots[frame][-1][1:])
        size = 0.5 * SCALE
        parts.append(f'<rect x="{x - size / 2:.1f}" y="{z - size / 2:.1f}" width="{size}" height="{size}" fill="{colour}"/>')
    x, z = place(0, 0)
    parts.append(f'<circle cx="{x:.1f}" cy="{z:.1f}" r="6" fill="#c03020"/></svg>')
    (ROOT / "docs/loaded-chain.svg").write_text("\n".join(parts) + "\n")


if __name__ == "__main__":
    chain(156)
