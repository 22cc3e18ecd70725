"""The examples run, and find what they are about."""

from __future__ import annotations

import math
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, *arguments: str, where: Path) -> str:
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=where)
    assert done.returncode == 0, done.stderr
    return done.stdout


def load(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / name))


def test_every_example_is_tested() -> None:
    assert {f.name for f in EXAMPLES.glob("*.py")} == {
        "arch.py", "crane_learning.py", "crane_tuning.py", "lcp_benchmark.py",
    }  # fmt: skip


def test_arch(tmp_path: Path) -> None:
    text = run("arch.py", "7", where=tmp_path)
    radii = [float(r) for r in re.findall(r"at radius ([\d.]+) m", text)]
    assert len(radii) == 8 and all(1.0 <= r <= 1.3 for r in radii), "the thrust stays inside"
    world: taut.World = load("arch.py")["arch"](7)
    world.step_many(60)
    contacts = world.contacts
    up = (contacts["normal"] * contacts["normal_force"][:, None] + contacts["friction"])[:, 2]
    below = contacts["a"] == -1
    weight = world.masses.sum() * 9.81
    assert up[below].sum() == pytest.approx(weight, rel=1e-3), "the ground carries it"


def test_lcp_benchmark(tmp_path: Path) -> None:
    text = run("lcp_benchmark.py", "12", where=tmp_path)
    assert text.count("Converged") == 4, text


def test_crane_tuning(tmp_path: Path) -> None:
    text = run("crane_tuning.py", "6", where=tmp_path)
    assert "6 runs, 0 failed" in text and text.count("swing") == 5
    again = run("crane_tuning.py", "6", where=tmp_path)
    assert again == text, "what is done is not done again"
    example = load("crane_tuning.py")
    swing = {}
    period = 2 * math.pi * math.sqrt(5.0 / 9.81)
    for ramp in (0.5 * period, period):
        world = example["build"]({"ramp": ramp, "speed": 0.5, "mass": 500.0})
        recording = world.record(720)
        swing[ramp] = example["measure"](world, recording)["swing"]
    assert swing[period] < 0.1 * swing[0.5 * period], "a ramp as long as the period leaves it still"


def test_crane_learning(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    text = run("crane_learning.py", "3", where=tmp_path)
    means = np.array(re.findall(r"mean return +(-?[\d.]+)", text), dtype=float)
    there = [int(n) for n in re.findall(r"(\d+) of 24 loads got there", text)]
    assert len(means) == 3 and means[-1] > means[0] and there[-1] > there[0], text
