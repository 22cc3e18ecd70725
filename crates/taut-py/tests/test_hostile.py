"""What a stranger with bad luck or bad manners does: answers or exceptions, never a crash."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import taut
from taut import shape
from taut.study import Plan


def test_every_sparse_format_and_width_of_index() -> None:
    B = sp.random_array((60, 60), density=0.1, rng=np.random.default_rng(0))
    A = (B @ B.T + sp.eye_array(60)).tocsr()
    b = np.random.default_rng(1).normal(size=60)
    expected = taut.solve(A, b, 0.0).x
    for name in ("bsr", "dia", "dok", "lil", "coo", "csc"):
        assert np.allclose(taut.solve(A.asformat(name), b, 0.0).x, expected, atol=1e-9), name
    narrow = A.copy()
    narrow.indices = narrow.indices.astype(np.uint16)
    assert np.array_equal(taut.solve(narrow, b, 0.0).x, expected)
    wide = A.copy()
    wide.indices = wide.indices.astype(np.int64) + 2**33
    with pytest.raises(taut.Error, match="too large"):
        taut.solve(wide, b, 0.0)


def test_large_sparse_problems_without_symmetry() -> None:
    n = 20000
    M = sp.diags_array([-1.0, 2.1, -0.5], offsets=[-1, 0, 1], shape=(n, n)).tocsr()
    q = np.sin(np.arange(n))
    r = taut.lcp(M, q)
    assert r.success and np.abs(np.minimum(r.x, M @ r.x + q)).max() < 1e-8
    assert "not symmetric" in taut.Problem(M, q).form


def test_bounds_and_options_are_named() -> None:
    eye, ones = np.eye(2), np.ones(2)
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: taut.solve(eye, ones, [0.0]), "lo has 1 entries, expected 2"),
        (lambda: taut.solve(eye, ones, np.nan), "bounds"),
        (lambda: taut.solve(eye, ones, np.inf, np.inf), "no finite value"),
        (lambda: taut.solve(eye, ones, solver=3), "solver: expected a name"),  # type: ignore[arg-type]
        (lambda: taut.solve(eye, ones, tol="x"), "tol: expected a number"),  # type: ignore[arg-type]
        (lambda: taut.solve(eye, ones, max_iterations=-1), "max_iterations"),
        (lambda: taut.solve(eye, ones, settings={"x": 1}), "auto has no settings"),
        (lambda: taut.solve(eye, ones, settings=[1]), "settings"),  # type: ignore[arg-type]
        (lambda: taut.solve(np.ma.array(eye, mask=eye > 0), ones), "masked"),
        (lambda: taut.solve_contact(np.eye(6), np.ones(6), [0.5]), "mu has 1 entries, expected 2"),
        (lambda: taut.batch(taut.World(), 1), "list of worlds"),  # type: ignore[arg-type]
        (lambda: taut.World.load(None), "scene: expected"),  # type: ignore[arg-type]
        (lambda: taut.World().step("x"), "dt: expected a number"),  # type: ignore[arg-type]
        (lambda: taut.World().add_body("b", shape=shape.ball("x")), "expected a number"),  # type: ignore[arg-type]
        (lambda: taut.World().add_body("b", shape=shape.ball(1), inertia=np.eye(2)), "inertia"),
        (
            lambda: taut.World().add_body(
                "b",
                shape=shape.ball(1),
                mass=1,
                inertia=np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
            ),
            "positive definite",
        ),
    ]
    for use, message in wrong:
        with pytest.raises(taut.Error, match=message):
            use()


def test_inertia_goes_in_as_it_comes_out() -> None:
    world = taut.World()
    given = np.array([[2.0, 0.1, 0.0], [0.1, 3.0, -0.2], [0.0, -0.2, 4.0]])
    body = world.add_body("b", shape=shape.ball(0.5), mass=10, inertia=given)
    assert np.allclose(body.inertia, given)
    other = world.add_body(
        "c", shape=shape.ball(0.5), position=(5, 0, 0), mass=10, inertia=(1, 2, 3)
    )
    assert np.allclose(other.inertia, np.diag([1, 2, 3]))


def test_arrays_that_change_while_they_are_solved() -> None:
    A, b = np.eye(300), -np.ones(300)
    stop = threading.Event()

    def spoil() -> None:
        k = 1.0
        while not stop.is_set():
            A[:] = np.eye(300) * k
            k = 3.0 - k

    thread = threading.Thread(target=spoil)
    thread.start()
    try:
        for _ in range(50):
            r = taut.solve(A, b, 0.0)
            assert r.x.shape == (300,) and isinstance(r.status, str)
    finally:
        stop.set()
        thread.join()


def test_one_world_and_one_solver_in_many_threads() -> None:
    world = taut.World.load("loaded-chain", size=10)
    solver = taut.Solver(np.eye(20) * 2, -np.ones(20), 0.0)
    errors: list[BaseException] = []

    def use(k: int) -> None:
        try:
            for i in range(20):
                world.step()
                _ = world.positions, world.contacts, world.snapshot()
                solver.update(b=-np.ones(20) * (k + 1))
                solver.solve()
                if i % 10 == 0:
                    world.copy().step()
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=use, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and world.time == pytest.approx(80 / 60)


def test_snapshots_with_wrong_bits_are_refused() -> None:
    world = taut.World.load("mobile-crane")
    world.step_many(3)
    good = world.snapshot()
    rng = random.Random(1)
    for _ in range(100):
        bad = bytearray(good)
        bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        with pytest.raises(taut.Error):
            world.restore(bytes(bad))
    for bad_bytes in (b"", good[:50], good[:-1], good + b"zz"):
        with pytest.raises(taut.Error):
            world.restore(bad_bytes)
    assert world.snapshot() == good


def test_pickles_of_another_version_say_so() -> None:
    world = taut.World.load("loaded-chain", size=3)
    function, (description, snapshot, threads) = world.__reduce__()
    later = description.replace('"version":1', '"version":9')
    with pytest.raises(taut.Error, match="version"):
        function(later, snapshot, threads)
    with pytest.raises(taut.Error):
        function(description, b"TAUT" + snapshot[4:], threads)
    data = pickle.dumps(world)
    for length in (10, len(data) // 2, len(data) - 20):
        with pytest.raises(pickle.UnpicklingError):
            pickle.loads(data[:length])


def test_bodies_of_worlds_that_nobody_holds() -> None:
    def make() -> tuple[taut.Body, taut.Joint]:
        world = taut.World(ground=True)
        ball = world.add_body("b", shape=shape.ball(1))
        return ball, world.add_joint("ball", "world", ball)

    body, joint = make()
    assert body.position.tolist() == [0, 0, 0] and joint.force.tolist() == [0, 0, 0]
    world = body.world
    body.remove()
    for use in (lambda: body.position, lambda: body.remove(), lambda: joint.target):
        with pytest.raises(taut.Error, match="is named"):
            use()
    assert "removed" in repr(body) and "removed" in repr(joint) and world.step().converged


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_in_the_middle() -> None:
    code = """
import os, numpy as np, taut
world = taut.World.load("loaded-chain", size=20)
world.threads = 2
world.step_many(3)
child = os.fork()
if child == 0:
    world.step_many(3)
    taut.batch([world, world.copy()], 3)
    os._exit(0 if taut.solve(np.eye(3), -np.ones(3), 0).success else 3)
assert os.waitpid(child, 0)[1] == 0
world.step_many(3)
"""
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def study(tmp_path: Path, **change: Any) -> taut.Study:
    spec: dict[str, Any] = {
        "parameters": {"bodies.load.mass": np.array([1.0, 2.0])},
        "metrics": {"z": {"body": "load", "quantity": "z"}},
        "seconds": 0.05, "out": tmp_path, "size": 3, "executor": "serial", "progress": False,
    }  # fmt: skip
    return taut.study("loaded-chain", **{**spec, "fresh": True, **change})


def test_studies_whose_functions_return_nonsense_fail_run_by_run(tmp_path: Path) -> None:
    assert len(study(tmp_path)) == 2
    nonsense: list[tuple[Any, str]] = [
        (object(), "expected a number"),
        (np.zeros(3), "expected a number"),
        ({}, "expected a number"),
    ]
    for value, message in nonsense:
        failed = study(tmp_path, metrics=lambda w, r, value=value: {"a": value}).failed
        assert len(failed) == 2 and message in failed[0]["error"]
    assert len(study(tmp_path, metrics=lambda w, r: 3).failed) == 2
    assert (
        "column of every" in study(tmp_path, metrics=lambda w, r: {"run": 5.0}).failed[0]["error"]
    )
    assert study(tmp_path, metrics=lambda w, r: {"a": np.float32(2), "b": True}).rows[0]["a"] == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": {"run": [7, 8]}}, "column of every study"),
        ({"parameters": [1]}, "parameters"),
        ({"metrics": {"status": {"body": "load", "quantity": "z"}}}, "column of every study"),
        ({"metrics": {"z": {"body": "nobody", "quantity": "z"}}}, "no body is named"),
        ({"metrics": {"z": {"cable": "none", "quantity": "tension"}}}, "no cable is named"),
        ({"workers": "x", "executor": "processes"}, "workers"),
        ({"dt": "x"}, "dt = 'x'"),
        ({"sede": 1}, r"unknown \['sede'\]"),
        ({"method": "random", "samples": 2, "seed": "x"}, "seed"),
    ],
)
def test_studies_that_cannot_be_meant(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(taut.Error, match=message):
        study(tmp_path, **change)


def test_words_that_a_study_needs(tmp_path: Path) -> None:
    with pytest.raises(taut.Error, match="'seconds' is missing"):
        Plan("loaded-chain", parameters={}, metrics={}, out=tmp_path)  # type: ignore[call-arg]
