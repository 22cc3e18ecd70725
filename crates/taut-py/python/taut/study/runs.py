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
from ..records import STEP
from ..world import World
from .journal import Journal

Task = tuple[int, dict[str, Any]]
Row = tuple[dict[str, Any], bool]
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
_CABLE = ("tension", "length", "way", "slack", "stretch")
_KINDS = {"body": _BODY, "joint": _JOINT, "cable": _CABLE, "figure": STEP.names or ()}


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
    token: str = ""
    """Of this start of the study."""

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
        dt = self.dt if self.dt is not None else world.dt
        count = max(1, round(self.seconds / dt))
        figures: dict[str, Any]
        if callable(self.metrics):
            recording = world.record(count, dt)
            steps = recording.steps
            assert steps is not None
            figures = _plain(self.metrics(world, recording))
        else:
            series, steps = _series(world, self.metrics, count, dt)
            figures = {
                name: float(REDUCE[metric.get("reduce", "last")](series[name]))
                for name, metric in self.metrics.items()
            }
        figures["steps"] = len(steps)
        figures["unconverged_steps"] = int((steps["unconverged_islands"] > 0).sum())
        figures["torn_steps"] = int(steps["torn"].sum())
        figures["longest_held"] = int(steps["held_steps"].max())
        figures["max_joint_gap"] = float(steps["max_joint_gap"].max())
        figures["energy_gain"] = float(steps["energy_gain"].max())
        return figures

    def check(self, world: World) -> None:
        """Finds metrics of what the world does not have."""
        if callable(self.metrics):
            return
        for metric in self.metrics.values():
            for kind in _READ:
                if kind in metric:
                    _place(world, kind, metric[kind])

    def world(self, parameters: dict[str, Any]) -> World:
        """The world of a run, at its start."""
        if callable(self.scene):
            made = self.scene(dict(parameters))
            if not isinstance(made, World):
                raise Error(
                    f"the function of the scene returned {type(made).__name__}, not a World"
                )
            if self.settings:
                made.configure(**self.settings)
            return made
        scene = copy.deepcopy(self.scene)
        for path, value in parameters.items():
            set_path(scene, path, value)
        scene["settings"] = {**scene.get("settings", {}), **self.settings}
        return World.load(scene)


def _plain(measured: Any) -> dict[str, Any]:
    """What a function measured, as values of a table."""
    if not isinstance(measured, dict):
        raise Error(f"the function of the metrics returned {type(measured).__name__}, not numbers")
    check_names(measured)
    plain = {}
    for name, value in measured.items():
        value = (
            value.item()
            if isinstance(value, (np.generic, np.ndarray)) and value.size == 1
            else value
        )
        if not (value is None or isinstance(value, (bool, int, float, str))):
            raise Error(f"metric '{name}': expected a number, found {type(value).__name__}")
        plain[str(name)] = value
    return plain


RESERVED = (
    "run", "status", "error", "wall_seconds", "taut_version", "seed", "scene_hash", "host", "steps",
    "unconverged_steps", "torn_steps",
)  # fmt: skip


def check_names(given: Any) -> None:
    """Refuses names of columns that every row has."""
    for name in given:
        if name in RESERVED:
            raise Error(f"'{name}' is a column of every study: choose another name")


def check_metrics(metrics: Any) -> None:
    """Finds mistakes before anything runs."""
    if callable(metrics):
        return
    if not isinstance(metrics, dict):
        raise Error("metrics: expected definitions by name, or a function")
    for name, metric in metrics.items():
        kinds = [k for k in _KINDS if isinstance(metric, dict) and k in metric]
        if len(kinds) != 1:
            raise Error(f"metric '{name}': expected one of {', '.join(_KINDS)}")
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
        "joint" in m or "cable" in m or m.get("quantity") in ("speed", "vx", "vy", "vz")
        for m in metrics.values()
    )
    if not slow:
        recording = world.record(count, dt)
        steps = recording.steps
        assert steps is not None
        return {
            name: recording.position_of(m["body"])[:, "xyz".index(m["quantity"])]
            if "body" in m
            else steps[m["figure"]]
            for name, m in metrics.items()
        }, steps
    # Rows of arrays, step by step; what is computed of them is computed at the end, of all at once.
    kinds = [(name, kind, m[kind]) for name, m in metrics.items() for kind in _READ if kind in m]
    kept: dict[str, list[Any]] = {name: [] for name, _, _ in kinds}
    needed = {kind for _, kind, _ in kinds}
    parts, places, sizes = [], {}, None
    for _ in range(count):
        parts.append(world.step_many(1, dt))
        arrays = {kind: read(world) for kind, (read, _) in _READ.items() if kind in needed}
        if sizes != (now := [len(a) for a in arrays.values()]):  # something broke
            sizes = now
            places = {name: _place(world, kind, of) for name, kind, of in kinds}
        for name, kind, _ in kinds:
            kept[name].append(arrays[kind][places[name]])
    steps = np.concatenate(parts)
    series = {name: _quantity(np.stack(kept[name]), metrics[name]) for name in kept}
    for name, m in metrics.items():
        if "figure" in m:
            series[name] = steps[m["figure"]]
    return series, steps


# How metrics read what they are of: arrays, and the names of their rows.
_READ: dict[str, tuple[Callable[[World], Any], Callable[[World], list[str]]]] = {
    "body": (lambda w: np.hstack([w.positions, w.velocities]), lambda w: w.names),
    "joint": (lambda w: w.joints, lambda w: w.joint_names),
    "cable": (lambda w: w.cables, lambda w: w.cable_names),
}


def _place(world: World, kind: str, name: str) -> int:
    names = _READ[kind][1](world)
    if name not in names:
        raise Error(f"no {kind} is named '{name}'")
    return names.index(name)


def _quantity(rows: Any, metric: dict[str, Any]) -> Any:
    """The series of one metric, from the rows of its body, joint or cable."""
    quantity = metric["quantity"]
    if "body" not in metric:
        values = rows[quantity]
        return np.linalg.norm(values, axis=1) if values.ndim == 2 else values
    if quantity == "speed":
        return np.linalg.norm(rows[:, 3:], axis=1)
    return rows[:, ("x", "y", "z", "vx", "vy", "vz").index(quantity)]


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


def work(payload: bytes, tasks: list[Task]) -> list[Row]:
    """What a worker does: some runs, each noted in the journal as soon as it is done. Returns their
    rows, and whether they are noted. Runs that are in the journal already (of a worker that died) are
    left out."""
    import pickle

    job: Job = pickle.loads(payload)
    journal = Journal.of(job.journal, job.token)
    done = journal.done()
    rows = []
    for number, parameters in tasks:
        if number not in done:
            row = job.run(number, parameters)
            rows.append((row, journal.note(row)))
    return rows
