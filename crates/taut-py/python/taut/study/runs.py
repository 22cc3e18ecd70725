"""One run of a study: a world from its parameters, its steps, its metrics."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import platform
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._taut import VERSION, Error
from ..recording import Recording
from ..world import STEP, World

Build = Callable[[dict[str, Any]], World]
Measure = Callable[[World, Recording], dict[str, float]]

REDUCE: dict[str, Callable[[Any], Any]] = {
    "last": lambda x: x[-1],
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
    "std": np.std,
    "range": np.ptp,
    "rms": lambda x: np.sqrt(np.mean(np.square(x))),
}

_BODY = ("x", "y", "z", "speed", "vx", "vy", "vz")
_JOINT = ("position", "velocity", "motor_force", "force", "torque")
_KINDS = {"body": _BODY, "joint": _JOINT, "figure": STEP.names or ()}


@dataclass
class Job:
    """All that a worker must know; the same for every run."""

    scene: Any
    """The words of a scene file, or a function of the parameters that returns a world."""
    metrics: Any
    """Definitions by name, or a function of world and recording."""
    seconds: float
    dt: float | None
    seed: int
    scene_hash: str
    journal: str
    """Folder in which workers note finished runs, if they see it."""
    settings: dict[str, Any] = field(default_factory=dict)

    def run(self, number: int, parameters: dict[str, Any]) -> dict[str, Any]:
        """One run, as a row. What goes wrong in it is in its row, too."""
        row: dict[str, Any] = {"run": number, **parameters}
        start = time.perf_counter()
        try:
            row.update(self._figures(parameters))
            row.update(status="done", error=None)
        except Exception as e:  # whatever a user's function raises
            last = traceback.extract_tb(e.__traceback__)[-1]
            place = f"{os.path.basename(last.filename)}:{last.lineno}"
            row.update(status="failed", error=f"{type(e).__name__}: {e} ({place})")
        row.update(
            wall_seconds=time.perf_counter() - start,
            taut_version=VERSION,
            seed=self.seed,
            scene_hash=self.scene_hash,
            host=platform.node(),
        )
        return row

    def _figures(self, parameters: dict[str, Any]) -> dict[str, Any]:
        world = self.world(parameters)
        if not isinstance(world, World):
            raise Error(f"the function of the scene returned {type(world).__name__}, not a World")
        dt = self.dt if self.dt is not None else world.dt
        count = max(1, round(self.seconds / dt))
        figures: dict[str, Any]
        if callable(self.metrics):
            recording = world.record(count, dt)
            steps = recording.steps
            assert steps is not None
            figures = {str(k): _plain(v) for k, v in self.metrics(world, recording).items()}
        else:
            series, steps = _series(world, self.metrics, count, dt)
            figures = {
                name: float(REDUCE[metric.get("reduce", "last")](series[name]))
                for name, metric in self.metrics.items()
            }
        figures["steps"] = len(steps)
        figures["unconverged_steps"] = int((steps["unconverged_islands"] > 0).sum())
        figures["torn_steps"] = int(steps["torn"].sum())
        figures["max_joint_gap"] = float(steps["max_joint_gap"].max())
        figures["energy_gain"] = float(steps["energy_gain"].max())
        return figures

    def world(self, parameters: dict[str, Any]) -> World:
        """The world of a run, at its start."""
        if callable(self.scene):
            made: World = self.scene(dict(parameters))
            if self.settings:
                made.configure(**self.settings)
            return made
        scene = copy.deepcopy(self.scene)
        for path, value in parameters.items():
            set_path(scene, path, value)
        scene["settings"] = {**scene.get("settings", {}), **self.settings}
        return World.load(scene)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def check_metrics(metrics: Any) -> None:
    """Finds mistakes before anything runs."""
    if callable(metrics):
        return
    if not isinstance(metrics, dict):
        raise Error("metrics: expected definitions by name, or a function")
    for name, metric in metrics.items():
        kinds = [k for k in _KINDS if isinstance(metric, dict) and k in metric]
        if len(kinds) != 1:
            raise Error(f"metric '{name}': expected one of body, joint, figure")
        kind = kinds[0]
        unknown = set(metric) - {kind, "quantity", "reduce"}
        quantity = metric["figure"] if kind == "figure" else metric.get("quantity")
        if unknown or quantity not in _KINDS[kind]:
            known = ", ".join(_KINDS[kind])
            raise Error(f"metric '{name}': quantity '{quantity}' is not known of a {kind}: {known}")
        if metric.get("reduce", "last") not in REDUCE:
            raise Error(f"metric '{name}': reduce is one of {', '.join(REDUCE)}")


def _series(world: World, metrics: dict[str, Any], count: int, dt: float) -> tuple[Any, Any]:
    """What metrics need of every step."""
    slow = any(
        "joint" in m or m.get("quantity") in ("speed", "vx", "vy", "vz") for m in metrics.values()
    )
    if not slow:
        recording = world.record(count, dt)
        steps = recording.steps
        assert steps is not None
        axis = {"x": 0, "y": 1, "z": 2}
        return {
            name: recording.position_of(m["body"])[:, axis[m["quantity"]]]
            if "body" in m
            else steps[m["figure"]]
            for name, m in metrics.items()
        }, steps
    series: dict[str, list[float]] = {name: [] for name in metrics}
    names = world.names
    parts = []
    for _ in range(count):
        parts.append(world.step_many(1, dt))
        joints = world.joints
        joint_names = world.joint_names
        x, v = world.positions, world.velocities
        for name, m in metrics.items():
            if "figure" in m:
                series[name].append(float(parts[-1][m["figure"]][0]))
            elif "joint" in m:
                if m["joint"] not in joint_names:
                    raise Error(f"no joint is named '{m['joint']}'")
                value = joints[joint_names.index(m["joint"])][m["quantity"]]
                series[name].append(float(np.linalg.norm(value)))
                if m["quantity"] in ("position", "velocity", "motor_force"):
                    series[name][-1] = float(value)
            else:
                if m["body"] not in names:
                    raise Error(f"no body is named '{m['body']}'")
                k, quantity = names.index(m["body"]), m["quantity"]
                if quantity == "speed":
                    series[name].append(float(np.linalg.norm(v[k])))
                else:
                    source = v if quantity.startswith("v") else x
                    series[name].append(float(source[k]["xyz".index(quantity[-1])]))
    return series, np.concatenate(parts)


def set_path(scene: Any, path: str, value: Any) -> None:
    """Puts a value into the words of a scene. Bodies, joints and drives are found by name or place:

    >>> from taut.study.runs import set_path
    >>> scene = {"bodies": [{"name": "load", "mass": 1}]}
    >>> set_path(scene, "bodies.load.mass", 2.5)
    >>> scene
    {'bodies': [{'name': 'load', 'mass': 2.5}]}
    """
    keys = path.split(".")
    here = scene
    for depth, key in enumerate(keys):
        last = depth == len(keys) - 1
        if isinstance(here, list):
            named = [i for i, x in enumerate(here) if isinstance(x, dict) and x.get("name") == key]
            if not named and key.isdigit() and int(key) < len(here):
                named = [int(key)]
            if not named:
                known = [x.get("name") for x in here[:8] if isinstance(x, dict)]
                raise Error(f"parameter '{path}': there is no '{key}'; known: {known}")
            index = named[0]
            if last:
                here[index] = value
            else:
                here = here[index]
        elif isinstance(here, dict):
            if last:
                here[key] = value
            elif key in here or (depth, key) == (0, "settings"):
                here = here.setdefault(key, {})
            else:
                raise Error(f"parameter '{path}': there is no '{key}'; known: {list(here)}")
        else:
            raise Error(f"parameter '{path}': '{key}' is inside a value")


def fingerprint(value: Any) -> str:
    """A hash of what was said; of functions their names count."""

    def plain(x: Any) -> Any:
        if callable(x):
            return f"{getattr(x, '__module__', '')}.{getattr(x, '__qualname__', repr(type(x)))}"
        if isinstance(x, (np.ndarray, np.generic)):
            return x.tolist()
        return str(x)

    text = json.dumps(value, sort_keys=True, default=plain)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def work(
    payload: bytes, tasks: list[tuple[int, dict[str, Any]]]
) -> list[tuple[dict[str, Any], bool]]:
    """What a worker does: some runs, each noted in the journal as soon as it is done. Returns their
    rows, and whether they are noted."""
    import pickle

    job: Job = pickle.loads(payload)
    rows = []
    for number, parameters in tasks:
        row = job.run(number, parameters)
        rows.append((row, note(job.journal, row)))
    return rows


def note(folder: str, row: dict[str, Any]) -> bool:
    """Adds a row to the journal of this process, whole or not at all. Not on machines that do not
    have the folder: who collects notes it then."""
    if not os.path.isdir(folder):
        return False
    line = (json.dumps(row) + "\n").encode()
    name = os.path.join(folder, f"{platform.node()}-{os.getpid()}.jsonl")
    file = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(file, line)
    finally:
        os.close(file)
    return True


def journaled(folder: str) -> dict[int, dict[str, Any]]:
    """All rows of the journals, by run. A line that a killed process left unfinished is no row."""
    rows: dict[int, dict[str, Any]] = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".jsonl"):
            continue
        with open(os.path.join(folder, name), "rb") as file:
            for line in file:
                try:
                    row = json.loads(line)
                except ValueError:
                    continue
                rows.setdefault(int(row["run"]), row)
    return rows
