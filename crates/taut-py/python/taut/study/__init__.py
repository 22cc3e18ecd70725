"""Studies: the same scene with many values of its parameters, on many cores or machines.

>>> import taut, tempfile
>>> folder = tempfile.TemporaryDirectory()
>>> result = taut.study(
...     "loaded-chain", size=5, seconds=0.1,
...     parameters={"bodies.load.mass": [100, 500]},
...     metrics={"height": {"body": "load", "quantity": "z", "reduce": "last"}},
...     out=folder.name, executor="serial", progress=False)
>>> result
<taut.Study: 2 runs, 0 failed>
>>> [row["status"] for row in result.rows]
['done', 'done']
>>> folder.cleanup()
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
import tomllib
from collections.abc import Iterable
from typing import Any

from .._taut import VERSION, Error
from ..world import World
from . import executors, sampling
from .runs import Job, check_metrics, fingerprint, journaled, note

__all__ = ["Study", "study"]


class Study:
    """The results of a study: one row a run, in the order of the runs."""

    def __init__(self, rows: list[dict[str, Any]], path: str | None) -> None:
        self.rows = rows
        self.path = path
        """The Parquet file."""

    @property
    def failed(self) -> list[dict[str, Any]]:
        """Rows of the runs that failed, with their errors."""
        return [row for row in self.rows if row["status"] != "done"]

    def __len__(self) -> int:
        return len(self.rows)

    def to_arrow(self) -> Any:
        """As a ``pyarrow.Table``."""
        import pyarrow

        names: dict[str, None] = {}
        for row in self.rows:
            names.update(dict.fromkeys(row))
        return pyarrow.table({name: [row.get(name) for row in self.rows] for name in names})

    def to_dataframe(self) -> Any:
        """As a pandas data frame."""
        return self.to_arrow().to_pandas()

    def __repr__(self) -> str:
        return f"<taut.Study: {len(self)} runs, {len(self.failed)} failed>"


class Plan:
    """A study before it runs: what to run, and where its results are."""

    def __init__(
        self,
        scene: Any,
        *,
        parameters: dict[str, Any],
        metrics: Any,
        seconds: float,
        method: str = "grid",
        samples: int | None = None,
        seed: int = 0,
        dt: float | None = None,
        size: int | None = None,
        settings: dict[str, Any] | None = None,
        out: str | os.PathLike[str] = "study",
    ) -> None:
        if not (isinstance(seconds, (int, float)) and 0 < seconds < float("inf")):
            raise Error(f"seconds = {seconds} is out of range: finite and positive")
        if dt is not None and not 0 < dt < float("inf"):
            raise Error(f"dt = {dt} is out of range: finite and positive")
        check_metrics(metrics)
        self.points = sampling.points(parameters, method, samples, seed)
        if callable(scene):
            words: Any = scene
        elif isinstance(scene, dict):
            words = scene
        elif isinstance(scene, World):
            words = json.loads(scene.to_json())
        else:
            words = json.loads(World.load(scene, size).to_json())
        self.out = os.path.abspath(os.fspath(out))
        self.journal = os.path.join(self.out, "journal")
        self.job = Job(
            words, metrics, float(seconds), dt, seed, fingerprint(words), self.journal,
            settings or {},
        )  # fmt: skip
        said = [words, metrics, seconds, dt, seed, settings or {}, parameters, method, samples]
        self.identity = {"study": fingerprint(said), "runs": len(self.points), "taut": VERSION}
        if self.points:
            self.job.world(self.points[0])  # a mistake in a path or scene shows at once

    def open(self, fresh: bool = False) -> dict[int, dict[str, Any]]:
        """Makes the folder of the results, or finds what is done in it."""
        os.makedirs(self.journal, exist_ok=True)
        file = os.path.join(self.out, "study.json")
        if fresh:
            for name in os.listdir(self.journal):
                os.remove(os.path.join(self.journal, name))
        elif os.path.exists(file):
            with open(file) as f:
                found = json.load(f)
            if found["study"] != self.identity["study"]:
                raise Error(f"{self.out} holds another study: choose another folder, or fresh=True")
        with open(file + ".tmp", "w") as f:
            json.dump(self.identity, f)
        os.replace(file + ".tmp", file)
        return self.done()

    def done(self) -> dict[int, dict[str, Any]]:
        """Rows of the runs that ended, by run."""
        return journaled(self.journal)

    def run(
        self,
        executor: str = "processes",
        workers: int | None = None,
        address: str | None = None,
        part: tuple[int, int] = (0, 1),
        progress: bool = True,
        fresh: bool = False,
    ) -> None:
        """Runs what is not done yet; of part (k, n) only the runs k, k + n, k + 2n ..."""
        done = self.open(fresh)
        tasks = [
            (i, p) for i, p in enumerate(self.points) if i not in done and i % part[1] == part[0]
        ]
        if not tasks:
            return
        bar = _Bar(len(tasks), len(done), progress)
        payload = _pickled(self.job)
        count, execute = executors.start(executor, workers, address)
        # Small enough that all workers end at about the same time.
        length = max(1, min(64, len(tasks) // (8 * count)))
        chunks = [tasks[i : i + length] for i in range(0, len(tasks), length)]
        for rows in execute(payload, chunks):
            for row, noted in rows:
                if not noted:
                    note(self.journal, row)
                bar.add(row["status"] == "done")
        bar.end()

    def collect(self) -> Study:
        """Writes the results as Parquet; returns them."""
        done = self.done()
        rows = [done[i] for i in sorted(done) if i < len(self.points)]
        study = Study(rows, os.path.join(self.out, "results.parquet"))
        import pyarrow.parquet

        table = study.to_arrow()
        said = {b"taut_study": json.dumps(self.identity).encode()}
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), **said})
        path = os.path.join(self.out, "results.parquet")
        pyarrow.parquet.write_table(table, path + ".tmp")
        os.replace(path + ".tmp", path)
        return study


def _pickled(job: Job) -> bytes:
    """Functions of notebooks and scripts travel by value where cloudpickle is installed."""
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps(job)
    dumped: bytes = cloudpickle.dumps(job)
    return dumped


def study(
    scene: Any,
    *,
    parameters: dict[str, Any],
    metrics: Any,
    seconds: float,
    method: str = "grid",
    samples: int | None = None,
    seed: int = 0,
    dt: float | None = None,
    size: int | None = None,
    settings: dict[str, Any] | None = None,
    out: str | os.PathLike[str] = "study",
    executor: str = "processes",
    workers: int | None = None,
    address: str | None = None,
    progress: bool = True,
    fresh: bool = False,
) -> Study:
    """Runs a scene with many values of its parameters, and writes ``out/results.parquet``.

    ``scene``: a name, a file, the words of a scene file, a world, or a function of the parameters
    that returns a :class:`taut.World`. ``parameters``: by path (``"bodies.load.mass"``), each a list
    or a range (``{"low": 1, "high": 10, "log": True}``); ``method``: ``grid``, ``random`` or
    ``latin_hypercube`` with so many ``samples``. ``metrics``: by name, of a body (``x y z speed vx
    vy vz``), a joint (``position velocity motor_force force torque``) or a figure of the steps, with
    ``reduce`` (``last max min mean std range rms``); or a function of world and recording that
    returns numbers by name.

    ``executor``: ``processes`` (a script needs ``if __name__ == "__main__":`` around it), ``serial``,
    ``dask`` or ``ray`` (on the cluster at ``address``, on the one that is connected, or on a new one
    on this machine). A run that fails costs only itself. Called again with the same arguments, it
    does only what is not done yet; ``fresh`` forgets what is.
    """
    plan = Plan(
        scene, parameters=parameters, metrics=metrics, seconds=seconds, method=method,
        samples=samples, seed=seed, dt=dt, size=size, settings=settings, out=out,
    )  # fmt: skip
    _need_parquet()
    plan.run(executor, workers, address, progress=progress, fresh=fresh)
    return plan.collect()


def _need_parquet() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise Error("studies write Parquet: pip install 'taut-sim[study]'") from None


def read_spec(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A study from a TOML file: what to run, and how."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            spec = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as e:
        raise Error(f"{name}: {e}") from None
    how = spec.pop("run", {})
    known = {
        "scene", "size", "seconds", "dt", "method", "samples", "seed", "settings", "parameters",
        "metrics", "out",
    }  # fmt: skip
    _unknown(name, spec, known)
    _unknown(f"{name}: run", how, {"executor", "workers", "address"})
    for needed in ("scene", "seconds", "parameters", "metrics"):
        if needed not in spec:
            raise Error(f"{name}: '{needed}' is missing")
    beside = os.path.join(os.path.dirname(name), spec["scene"])
    if os.path.exists(beside):
        spec["scene"] = beside
    spec.setdefault("out", os.path.splitext(name)[0] + "-results")
    return spec, how


def _unknown(place: str, given: Iterable[str], known: set[str]) -> None:
    wrong = set(given) - known
    if wrong:
        raise Error(f"{place}: unknown {sorted(wrong)}; known: {', '.join(sorted(known))}")


class _Bar:
    """How far it is, on stderr if that is a terminal."""

    def __init__(self, total: int, before: int, shown: bool) -> None:
        self.total, self.before = total, before
        self.ended = self.failed = 0
        self.start = self.last = time.monotonic()
        self.shown = shown and sys.stderr.isatty()

    def add(self, good: bool) -> None:
        self.ended += 1
        self.failed += not good
        now = time.monotonic()
        if self.shown and (now - self.last > 0.2 or self.ended == self.total):
            self.last = now
            rate = self.ended / max(now - self.start, 1e-9)
            left = (self.total - self.ended) / rate
            share = self.ended / self.total
            full = "#" * int(30 * share)
            failed = f", {self.failed} failed" if self.failed else ""
            text = f"\r[{full:30}] {self.ended} of {self.total} runs{failed}, {rate:.1f}/s, {left:.0f} s left "
            sys.stderr.write(text)
            sys.stderr.flush()

    def end(self) -> None:
        if self.shown:
            sys.stderr.write("\n")
