"""Tunes how a gantry crane accelerates so that its load hangs still at the end: a study.

python crane_tuning.py [RUNS]
"""

from __future__ import annotations

import sys
from typing import Any

import taut
from taut.gym import crane


def build(parameters: dict[str, Any]) -> taut.World:
    """A crane whose trolley goes 3 m: it accelerates for a while, runs, and brakes as long."""
    ramp, speed = parameters["ramp"], parameters["speed"]
    world = crane(mass=parameters["mass"])
    run = 3.0 / speed - ramp
    times = [0.0, ramp, ramp + max(run, 0.0), 2 * ramp + max(run, 0.0)]
    speeds = [0.0, speed, speed, 0.0]
    world.add_drive({"motor": {"joint": "rail", "keys": list(zip(times, speeds))}})
    return world


def measure(world: taut.World, recording: taut.Recording) -> dict[str, float]:
    """How far the load swings in the last two seconds, and what pulls at the hook now."""
    swing = recording.position_of("load") - recording.position_of("trolley")
    last = swing[-120:, 0]
    force = world.joint("hook").force
    return {"swing": float(last.max() - last.min()), "pull": float((force @ force) ** 0.5)}


def main() -> None:
    """Runs the study on all cores; running it again goes on where it was cut off."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    study = taut.study(
        build,
        parameters={
            "ramp": {"low": 0.2, "high": 4.5},
            "speed": {"low": 0.5, "high": 1.0},
            "mass": {"low": 100, "high": 2000, "log": True},
        },
        metrics=measure,
        method="latin_hypercube",
        samples=runs,
        seconds=12.0,
        out=f"crane-tuning-{runs}",
    )
    best = sorted((row for row in study.rows if row["status"] == "done"), key=lambda r: r["swing"])
    print(study, "->", study.path)
    for row in best[:5]:
        print(
            f"swing {100 * row['swing']:6.2f} cm: ramp {row['ramp']:.2f} s, "
            f"speed {row['speed']:.2f} m/s, {row['mass']:.0f} kg"
        )


if __name__ == "__main__":
    main()
