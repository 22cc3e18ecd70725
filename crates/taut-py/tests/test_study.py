"""Studies: samples, resumption, failures."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut.study import Plan
from taut.study.__main__ import main
from taut.study.journal import Journal
from taut.study.sampling import points

METRICS = {
    "height": {"body": "load", "quantity": "z", "reduce": "min"},
    "pull": {"joint": "joint5", "quantity": "force", "reduce": "max"},
    "gap": {"figure": "max_joint_gap", "reduce": "max"},
}
SPEC: dict[str, Any] = {
    "size": 5,
    "seconds": 0.2,
    "parameters": {"bodies.load.mass": {"low": 10, "high": 1000, "log": True}},
    "metrics": METRICS,
    "method": "latin_hypercube",
    "samples": 12,
    "seed": 3,
}


def figures(study: taut.Study) -> list[tuple[Any, ...]]:
    names = ("run", "bodies.load.mass", "height", "pull", "gap", "status")
    return [tuple(row.get(name) for name in names) for row in study.rows]


def run(out: Path, **more: Any) -> taut.Study:
    return taut.study("loaded-chain", **{**SPEC, "out": out, "progress": False, **more})


def test_samples() -> None:
    spec: dict[str, Any] = {
        "a": {"low": 1, "high": 100, "log": True},
        "b": ["x", "y"],
        "c": {"low": 1, "high": 4, "integer": True},
        "d": 7,
    }
    for method in ("random", "latin_hypercube"):
        first, second = points(spec, method, 40, 1), points(spec, method, 40, 1)
        assert first == second != points(spec, method, 40, 2)
        assert {p["b"] for p in first} == {"x", "y"} and {p["c"] for p in first} == {1, 2, 3, 4}
        assert all(1 <= p["a"] <= 100 and p["d"] == 7 for p in first)
    cells = sorted(math.floor(40 * math.log(p["a"]) / math.log(100)) for p in first)
    assert cells == list(range(40)), "one in each slice"
    grid = points({"a": {"low": 0, "high": 1, "count": 3}, "b": [1, 2]}, "grid", None, 0)
    assert len(grid) == 6 and grid[-1] == {"a": 1.0, "b": 2}
    wrong: list[Any] = [{"low": 2, "high": 1}, [], {"low": 1}, {"low": 0, "high": 1, "log": True}]
    for bad in ({"a": a} for a in wrong):
        with pytest.raises(taut.Error, match="'a'"):
            points(bad, "random", 3, 0)
    with pytest.raises(taut.Error, match="method"):
        points({}, "sobol", 3, 0)


def test_executors_agree_and_rows_say_where_they_come_from(tmp_path: Path) -> None:
    serial = run(tmp_path / "a", executor="serial")
    assert len(serial) == 12 and not serial.failed
    parallel = run(tmp_path / "b", executor="processes", workers=2)
    assert figures(serial) == figures(parallel)
    row = serial.rows[0]
    assert (
        row["taut_version"] == taut.__version__
        and row["seed"] == 3
        and len(row["scene_hash"]) == 16
    )
    import pyarrow.parquet as parquet

    table = parquet.read_table(tmp_path / "a" / "results.parquet")
    assert table.num_rows == 12 and b"taut_study" in table.schema.metadata
    heavy, light = (
        max(serial.rows, key=lambda r: r["bodies.load.mass"]),
        min(serial.rows, key=lambda r: r["bodies.load.mass"]),
    )
    assert heavy["pull"] > light["pull"] and heavy["steps"] == 12


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    run(tmp_path, executor="serial")
    journal = tmp_path / "journal"
    before = {f.name: f.read_bytes() for f in journal.iterdir()}
    start = time.monotonic()
    again = run(tmp_path, executor="processes")
    assert time.monotonic() - start < 5 and len(again) == 12
    assert {f.name: f.read_bytes() for f in journal.iterdir()} == before
    with pytest.raises(taut.Error, match="another study"):
        run(tmp_path, seed=4, executor="serial")
    assert len(run(tmp_path, seed=4, executor="serial", fresh=True)) == 12


def spec_of(tmp_path: Path, runs: int) -> tuple[list[str], Path]:
    """A study for the command line, and its journal."""
    spec = tmp_path / "spec.toml"
    spec.write_text(
        f'scene = "loaded-chain"\nsize = 10\nseconds = 1.0\nmethod = "random"\nsamples = {runs}\n'
        '[parameters]\n"bodies.load.mass" = {low = 10, high = 1000}\n'
        '[metrics]\nheight = {body = "load", quantity = "z", reduce = "min"}\n'
    )
    command = [sys.executable, "-m", "taut.study", str(spec), "--workers", "2"]
    return command, tmp_path / "spec-results" / "journal"


def noted(journal: Path) -> list[str]:
    """The lines of all finished runs."""
    if not journal.exists():
        return []
    lines = [line for f in journal.iterdir() for line in f.read_text().splitlines(keepends=True)]
    return [line for line in lines if line.endswith("}\n")]


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in found.read_text().split()]


def is_worker(pid: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.parametrize("victim", ["all", "parent", "worker", "ctrl-c"])
def test_killed_and_resumed(tmp_path: Path, victim: str) -> None:
    runs = 60
    command, journal = spec_of(tmp_path, runs)
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE) as process:
        wait_for(lambda: len(noted(journal)) >= 8, "it does not begin")
        workers = [pid for pid in children(process.pid) if is_worker(pid)]
        assert len(workers) == 2
        if victim == "worker":
            # The study goes on, and tries again what that one was in.
            os.kill(workers[0], signal.SIGKILL)
            assert process.wait(120) == 0
        else:
            if victim == "all":
                os.killpg(process.pid, signal.SIGKILL)
            elif victim == "parent":
                os.kill(process.pid, signal.SIGKILL)
            else:
                os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            assert process.wait(20) != 0
        wait_for(lambda: not any(map(is_worker, workers)), "workers live on")
    before = noted(journal)
    assert len(before) == runs if victim == "worker" else 8 <= len(before) < runs
    # What a killed process left unfinished is no row.
    (journal / "torn.jsonl").write_text('{"run": 59, "status"')
    assert subprocess.run(command, capture_output=True).returncode == 0
    rows = noted(journal)
    assert sorted(json.loads(row)["run"] for row in rows) == list(range(runs)), "once each"
    assert set(before) <= set(rows), "what was done stayed"


def test_a_journal_that_was_cut_off_in_a_line_goes_on(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))
    assert journal.note({"run": 0}) and journal.done() == {0}
    (file,) = tmp_path.iterdir()
    with file.open("a") as f:
        f.write('{"run": 1, "sta')  # killed here; the next process has the same number
    assert journal.note({"run": 2}) and journal.note({"run": 3})
    assert journal.done() == set(journal.rows()) == {0, 2, 3}
    assert not Journal(str(tmp_path / "elsewhere")).note({"run": 4})


def fragile(parameters: dict[str, Any]) -> taut.World:
    if parameters["k"] == 2:
        raise RuntimeError("this one does not want to")
    if parameters["k"] == 5:
        os._exit(1)  # as if it had crashed
    return taut.World.load("loaded-chain", size=3)


def swing(world: taut.World, recording: taut.Recording) -> dict[str, float]:
    return {"x": recording.position_of("load")[-1, 0], "n": len(recording)}


def test_a_run_that_fails_costs_only_itself(tmp_path: Path) -> None:
    study = taut.study(
        fragile, parameters={"k": list(range(8))}, metrics=swing, seconds=0.1, out=tmp_path,
        executor="processes", workers=2, progress=False,
    )  # fmt: skip
    assert len(study) == 8 and [row["run"] for row in study.failed] == [2, 5]
    assert "does not want to" in study.failed[0]["error"]
    assert study.failed[1]["error"] == "the worker died"
    assert study.rows[0]["n"] == 7 and study.to_dataframe().shape[0] == 8
    numbers = [json.loads(line)["run"] for line in noted(tmp_path / "journal")]
    assert sorted(numbers) == list(range(8)), "none twice"


def test_command_and_slurm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(
        'scene = "loaded-chain"\nsize = 3\nseconds = 0.1\n[parameters]\n"bodies.load.mass" = [1, 2, 3, 4, 5]\n'
        '[metrics]\nx = {body = "load", quantity = "x"}\n[run]\nexecutor = "serial"\n'
    )
    script = tmp_path / "job.sh"
    assert main([str(spec), "--slurm", str(script), "--tasks", "2"]) == 0
    assert subprocess.run(["bash", "-n", str(script)]).returncode == 0
    for k in range(2):
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(k)}
        assert subprocess.run(["bash", str(script)], env=environment).returncode == 0
    assert main([str(spec), "--collect"]) == 0
    assert "5 runs, 0 failed" in capsys.readouterr().out
    assert main([str(tmp_path / "none.toml")]) == 2
    assert "error: " in capsys.readouterr().err
    spec.write_text('scene = "loaded-chain"\nsecond = 1\n')
    assert main([str(spec)]) == 2
    assert "unknown ['second']" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": {"bodies.lod.mass": [1]}}, "there is no 'lod'"),
        ({"parameters": {"bodies.load.mess": [1]}}, "unknown field 'mess'"),
        ({"metrics": {"m": {"body": "load", "quantity": "heat"}}}, "'heat' is not known of a body"),
        ({"metrics": {"m": {"figure": "time", "reduce": "sum"}}}, "reduce is one of"),
        ({"seconds": 0}, "seconds"),
        ({"samples": 0}, "samples"),
    ],
)
def test_mistakes_show_before_anything_runs(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(taut.Error, match=message):
        Plan("loaded-chain", **{**SPEC, "out": tmp_path, **change})


@pytest.mark.parametrize("executor", ["dask", "ray"])
def test_clusters(tmp_path: Path, executor: str) -> None:
    """On a cluster of this machine; takes half a minute, so on request alone."""
    pytest.importorskip("distributed" if executor == "dask" else "ray")
    if "TAUT_TEST_CLUSTERS" not in os.environ:
        pytest.skip("set TAUT_TEST_CLUSTERS to test Dask and Ray")
    expected = run(tmp_path / "a", executor="serial")
    assert figures(run(tmp_path / "b", executor=executor, workers=2)) == figures(expected)


def test_gym() -> None:
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    from taut.gym import CraneEnv, CraneVectorEnv

    check_env(CraneEnv(), skip_render_check=True)
    one, many = CraneEnv(), CraneVectorEnv(2)
    first, _ = one.reset(seed=5)
    all_first, _ = many.reset(seed=5)
    assert np.array_equal(first, all_first[0])
    for _ in range(10):
        observation = one.step(np.array([0.7], dtype=np.float32))[0]
        observations = many.step(np.array([[0.7], [-0.7]], dtype=np.float32))[0]
        assert np.array_equal(observation, observations[0]), "the same bits"
