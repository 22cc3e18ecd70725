"""A study before and while it runs."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import secrets
from typing import Any, Unpack

from .._taut import VERSION, Error
from ..world import World
from . import executors, sampling
from .journal import Journal
from .progress import Bar
from .results import Study
from .runs import Job, check_metrics, check_names, fingerprint
from .spec import Spec, check


class Plan:
    """A study before it runs: what to run, and where its results are."""

    def __init__(self, scene: Any, **spec: Unpack[Spec]) -> None:
        check(spec)
        parameters, metrics, seconds = spec["parameters"], spec["metrics"], spec["seconds"]
        method, samples = spec.get("method", "grid"), spec.get("samples")
        seed, dt, size = spec.get("seed", 0), spec.get("dt"), spec.get("size")
        settings, out = spec.get("settings") or {}, spec.get("out", "study")
        for name, x in (("seconds", seconds), ("dt", dt)):
            if x is not None and not (isinstance(x, (int, float)) and 0 < x < float("inf")):
                raise Error(f"{name} = {x!r} is out of range: finite and positive")
        self.points = sampling.points(parameters, method, samples, seed)
        check_metrics(metrics)
        check_names(parameters)
        if not callable(metrics):
            check_names(metrics)
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
            settings,
        )  # fmt: skip
        said = [words, metrics, seconds, dt, seed, settings, parameters, method, samples]
        self.identity = {"study": fingerprint(said), "runs": len(self.points), "taut": VERSION}
        if self.points and not callable(scene):
            # Mistakes in paths, scene or metrics show at once; what functions do wrong is in rows.
            self.job.check(self.job.world(self.points[0]))

    def open(self, fresh: bool = False) -> dict[int, dict[str, Any]]:
        """Makes the folder of the results, or finds what is done in it."""
        os.makedirs(self.journal, exist_ok=True)
        file = os.path.join(self.out, "study.json")
        if fresh:
            Journal(self.journal).clear()
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
        return Journal(self.journal).rows()

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
        bar = Bar(len(tasks), len(done), progress)
        self.job.token, journal = secrets.token_hex(8), Journal(self.journal)
        payload = _pickled(self.job)
        count, execute = executors.start(executor, workers, address)
        # Small enough that all workers end at about the same time.
        length = max(1, min(64, len(tasks) // (8 * count)))
        chunks = [tasks[i : i + length] for i in range(0, len(tasks), length)]
        with contextlib.closing(execute(payload, chunks)) as results:
            for row, noted in results:
                if not noted:
                    journal.note(row)
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


def need_parquet() -> None:
    """Says what to install, before anything runs."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise Error("studies write Parquet: pip install 'taut-sim[study]'") from None
