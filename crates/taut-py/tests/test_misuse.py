"""Wrong input raises, and nothing crashes."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import taut
from taut import shape

EYE = np.eye(2)
ONES = np.ones(2)


def csr(data: Any, indices: Any, indptr: Any, n: int = 2) -> Any:
    """A matrix that scipy would refuse."""
    A = sp.csr_array((n, n))
    A.data, A.indices, A.indptr = data, indices, indptr
    return A


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: taut.solve(np.ones((2, 3)), ONES), "2 rows and 3 columns"),
        (lambda: taut.solve(EYE, np.ones(3)), "b has 3 entries, expected 2"),
        (lambda: taut.solve(EYE, ONES, lo=np.zeros(3)), "entries"),
        (lambda: taut.solve(EYE, ONES, lo=1, hi=0), "lower bound 1 exceeds upper bound 0"),
        (lambda: taut.solve(EYE, [np.nan, 1]), "b, row 0: NaN is not finite"),
        (lambda: taut.solve(np.full((2, 2), np.inf), ONES), "A, row 0"),
        (lambda: taut.solve(sp.csr_array(EYE * np.nan), ONES), "A, row 0: NaN"),
        (lambda: taut.solve(EYE.astype(complex), ONES), "array of complex128"),
        (lambda: taut.solve(EYE.astype(object), ONES), "array of object"),
        (lambda: taut.solve("A", ONES), "A"),
        (lambda: taut.solve(EYE, [[1.0], [1.0, 2.0]]), "b"),
        (lambda: taut.solve(None, ONES), "array of object"),
        (lambda: taut.solve(EYE), "b is missing"),
        (lambda: taut.solve(EYE, ONES, tol=np.nan), "tolerance"),
        (lambda: taut.solve(EYE, ONES, tol=-1), "tolerance"),
        (lambda: taut.solve(EYE, ONES, x0=[1.0]), "x0 has 1 entries, expected 2"),
        (lambda: taut.solve(EYE, ONES, x0=[1.0, np.inf]), "x0, row 1"),
        (lambda: taut.solve(sp.csr_array(np.ones((2, 3))), ONES), "square"),
        (lambda: taut.solve(csr(ONES, np.array([0, 9]), np.array([0, 1, 2])), ONES), "outside"),
        (lambda: taut.solve(csr(ONES, np.array([0, -1]), np.array([0, 1, 2])), ONES), "negative"),
        (lambda: taut.solve(csr(ONES, np.array([0, 1]), np.array([0, 5, 2])), ONES), "starts"),
        (
            lambda: taut.solve(csr(ONES, np.array([0.0, 1.0]), np.array([0, 1, 2])), ONES),
            "integers",
        ),
        (
            lambda: taut.solve(csr(np.ones(3), np.array([0, 1]), np.array([0, 1, 2])), ONES),
            "values",
        ),
        (lambda: taut.Problem(EYE, ONES) @ [1.0], "x has 1 entries"),
        (lambda: taut.solve(taut.Problem(EYE, ONES), ONES), "has its b"),
        (lambda: taut.solve_contact(np.eye(3), np.ones(3), -0.1), "coefficients"),
        (lambda: taut.solve_contact(np.eye(3), np.ones(3), "rough"), "mu"),
        (lambda: taut.World(gravity=(0, 0)), "gravity has 2 entries, expected 3"),
        (lambda: taut.World(gravity=(0, 0, np.nan)), "gravity"),
        (lambda: taut.World(dt=0), "dt"),
        (lambda: taut.World(dt=float("inf")), "dt"),
        (lambda: taut.World(settings={"substeps": 0}), "settings.substeps"),
        (lambda: taut.World().step(-1), "dt = -1"),
        (lambda: taut.World().step_many(-1), "count: expected a whole number"),
        (lambda: taut.World().step_many(2.5), "count: expected"),  # type: ignore[arg-type]
        (lambda: taut.World().record(2, every=0), "every"),
        (lambda: taut.World().add_body("b"), "expected a shape"),
        (lambda: taut.World().add_body("world", shape=shape.ball(1)), "world"),
        (lambda: taut.World().add_body("", shape=shape.ball(1)), "empty"),
        (
            lambda: taut.World().add_body("b", shape=shape.ball(-1)),
            r"bodies\[0\]\.shape\.ball\.radius",
        ),
        (lambda: taut.World().add_body("b", shape=shape.ball(np.nan)), "finite"),
        (lambda: taut.World().add_body("b", shape={"blob": {}}), "expected one of ball, box"),
        (
            lambda: taut.World().add_body("b", shape=shape.ball(1), gravity_scale="2"),
            "expected a number",
        ),
        (
            lambda: taut.World().add_body("b", shape=shape.ball(1), mess=2),
            "unknown field 'mess'.*mass",
        ),
        (
            lambda: taut.World().add_body("b", shape=shape.ball(1), colliders=object()),
            "found object",
        ),
        (lambda: taut.World().add_body("b", shape=shape.convex_hull(np.zeros((5, 3)))), "shape"),
        (
            lambda: taut.World().add_body("b", shape=shape.ball(1), orientation=(0, 0, 0, 0)),
            "orientation",
        ),
        (lambda: taut.World().add_joint("hinge", "world", "b"), "no body is named 'b'"),
        (lambda: taut.World().add_joint("glue", "world", "b"), "expected one of ball, hinge"),
        (lambda: taut.World.load({"version": 2}), "version"),
        (lambda: taut.World.load({"version": 1, "bodies": {}}), "bodies"),
        (lambda: taut.World.from_json("{"), "not valid JSON"),
        (lambda: taut.World.load("no/such/file.json"), "cannot be read"),
        (lambda: taut.World().ray_cast((0, 0), (0, 0)), "rays"),
        (lambda: taut.World().ray_cast((0, 0, 0), (0, 0, np.nan)), "numbers"),
        (lambda: taut.World().shape_cast({}, (0, 0, 0), (0, 0, 1)), "shape"),
        (lambda: taut.World().body("x"), "no body is named 'x'"),
        (lambda: taut.World().add_material("m", friction=-1), "materials.m.friction"),
    ],
)
def test_mistakes_are_named(use: Callable[[], Any], message: str) -> None:
    with pytest.raises(taut.Error, match=message):
        use()


def test_errors_are_value_errors() -> None:
    assert issubclass(taut.Error, ValueError) and issubclass(taut.SceneError, taut.Error)


def test_a_list_that_holds_itself() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(taut.SceneError, match="nested too deeply"):
        taut.World.load({"version": 1, "bodies": endless})


def test_odd_arrays_are_fine() -> None:
    A = np.array([[2.0, 0.5], [0.5, 1.0]])
    b = np.array([-1.0, 9.0, -1.0, 9.0])[::2]
    expected = taut.solve(A, b.copy(), 0.0).x
    frozen = A.copy()
    frozen.flags.writeable = False
    for a in (A[::-1, ::-1][::-1, ::-1], frozen, A.T, np.broadcast_to(A, (2, 2)), A.astype(">f8")):
        assert np.array_equal(taut.solve(a, b, 0.0).x, expected)
    assert taut.solve(np.eye(2, dtype=bool), [-1, 2], 0).x.tolist() == [1, 0]
    assert taut.solve(np.eye(2, dtype=np.int8), np.array([-1, 2]), 0)
    assert taut.solve(
        np.eye(2, dtype=np.float16), np.array([-1, 2], dtype=np.float32), np.float64(0)
    ).success
    assert taut.solve(sp.csr_array(np.eye(2, dtype=np.float32)), [-1, 2], 0).success
    none = taut.solve(np.zeros((0, 0)), [])
    assert none.success and none.x.shape == (0,)
    assert taut.solve(sp.csr_array((0, 0)), []).success


def test_huge_and_tiny_numbers() -> None:
    for scale in (1e-300, 1e-150, 1e150, 1e300):
        r = taut.solve(EYE * scale, [-scale, scale], 0.0)
        assert r.x.shape == (2,) and isinstance(r.status, str)
    world = taut.World(ground=True)
    world.add_body("b", shape=shape.ball(0.1), position=(0, 0, 1e300))
    world.step_many(3)
    fast = world.add_body("fast", shape=shape.ball(0.1), position=(0, 0, 1))
    fast.velocity = (1e200, 0, -1e200)
    world.step_many(3)
    assert len(world) == 2


def interrupt_after(seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_ends_steps_and_batches() -> None:
    world = taut.World.load("loaded-chain", size=20)
    start = time.monotonic()
    interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        world.step_many(10**7)
    assert time.monotonic() - start < 10 and world.time > 0
    world.step()
    interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        taut.batch([world, world.copy()], 10**7)
    world.step()


def test_ctrl_c_ends_a_solve() -> None:
    n = 400
    A = sp.csr_array(np.diag(np.full(n, 2.0)) - np.eye(n, k=1) - np.eye(n, k=-1))
    b = -np.ones(n)
    # Millions of sweeps: minutes, if nobody ends it.
    solver = taut.Solver(A, b, solver="pgs", tol=0.0, max_iterations=10**9)
    start = time.monotonic()
    interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        solver.solve()
    assert time.monotonic() - start < 10
    # It can be used on, and says the same as a new one.
    fresh = taut.Solver(A, b, solver="pgs", tol=1e-6)
    interrupted = taut.Solver(A, b, solver="pgs", tol=0.0, max_iterations=10**9)
    interrupt_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        interrupted.solve()
    interrupted.update(b=b)
    assert interrupted.problem.rows == n and fresh.solve().x.shape == (n,)
    interrupt_after(0.2)
    with pytest.raises(KeyboardInterrupt):
        taut.solve(A, b, solver="pgs", tol=0.0, max_iterations=10**9)


def test_a_signal_handler_that_raises_ends_a_solve_with_its_error() -> None:
    def late(*_: Any) -> None:
        raise TimeoutError("too late")

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(TimeoutError, match="too late"):
            taut.solve(np.eye(300) + 0.99, -np.ones(300), solver="pgs", tol=0.0,
                       max_iterations=10**9)  # fmt: skip
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def rss() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_stays_flat() -> None:
    """A short loop; ``TAUT_LEAK_LOOPS=1000000`` makes it a long one."""
    loops = int(os.environ.get("TAUT_LEAK_LOOPS", "5000"))
    A = sp.csr_array(np.diag(np.full(20, 2.0)) - np.eye(20, k=1) - np.eye(20, k=-1))
    b = -np.ones(20)
    world = taut.World(ground=True)
    box = world.add_body("box", shape=shape.box(0.5, 0.5, 0.5), position=(0, 0, 0.5))
    solver = taut.Solver(A, b, 0.0)

    def once(k: int) -> None:
        taut.solve(A, b, 0.0)
        solver.update(b=b * (1 + k % 3))
        solver.solve()
        world.step()
        box.apply_force((0, 0, 1))
        world.contacts, world.positions
        if k % 50 == 0:
            world.copy()
            world.restore(world.snapshot())
            world.record(2).to_bytes()
            with pytest.raises(taut.Error):
                taut.solve(A, [1.0])

    for k in range(1000):
        once(k)
    before = rss()
    for k in range(loops):
        once(k)
    assert rss() - before < 4e6, f"{(rss() - before) / 1e6:.1f} MB more"
