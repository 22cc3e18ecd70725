"""Solvers: every form of input gives the same answer, and the answer of the command."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import mmread, mmwrite

import taut
from taut import law


def spd(n: int, seed: int = 0, density: float = 0.1) -> Any:
    rng = np.random.default_rng(seed)
    B = sp.random_array((n, n), density=density, rng=rng)
    return (B @ B.T + sp.eye_array(n)).tocsr()


def judge(A: Any, b: Any, lo: Any, hi: Any, x: Any) -> float:
    """How far x is from the law of boxes, without taut."""
    w = A @ x + b
    return float(np.abs(x - np.clip(x - w, lo, hi)).max())


@pytest.mark.parametrize("n", [1, 5, 60, 400])
def test_all_forms_agree(n: int) -> None:
    A = spd(n)
    rng = np.random.default_rng(n)
    b, lo, hi = rng.normal(size=n), np.zeros(n), rng.uniform(0.1, 2.0, n)
    expected = taut.solve(A, b, lo, hi)
    assert expected.success and judge(A, b, lo, hi, expected.x) < 1e-9
    long = A.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    shuffled = A.tocoo()
    order = rng.permutation(shuffled.nnz)
    unsorted = sp.coo_array(
        (shuffled.data[order], (shuffled.row[order], shuffled.col[order])), shape=A.shape
    )
    for form in (A.tocsc(), sp.csr_matrix(A), long, unsorted, A.tolil()):
        assert np.array_equal(taut.solve(form, b, lo, hi).x, expected.x), type(form)
    dense = A.toarray()
    backwards = np.asfortranarray(dense)[::-1, ::-1][::-1, ::-1]
    # (Blocks have zeros among their entries.)
    for form in (dense, np.asfortranarray(dense), backwards, dense.tolist(), A.tobsr()):
        assert np.allclose(taut.solve(form, b, lo, hi).x, expected.x, atol=1e-9)


def test_duplicates_are_added_up_and_nothing_is_changed() -> None:
    A = sp.csr_array((np.array([1.0, 1.0, 3.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), (2, 2))
    before = A.data.copy()
    assert np.allclose(taut.solve(A, [-2.0, -3.0], 0.0).x, [1.0, 1.0])
    assert A.nnz == 3 and np.array_equal(A.data, before)


def test_bits_of_the_command(tmp_path: Path) -> None:
    n = 80
    A, b = spd(n, 3), np.random.default_rng(3).normal(size=n)
    lo, hi = np.zeros(n), np.full(n, np.inf)
    folder = tmp_path / "p"
    folder.mkdir()
    mmwrite(folder / "A.mtx", sp.coo_matrix(A), symmetry="symmetric", precision=17)
    for name, v in (("b", b), ("lo", lo), ("hi", hi)):
        text = "\n".join(repr(float(x)) for x in v)
        (folder / f"{name}.mtx").write_text(
            f"%%MatrixMarket matrix array real general\n{n} 1\n{text}\n"
        )
    out = tmp_path / "x.mtx"
    command = [sys.executable, "-m", "taut", "solve", str(folder), "--out", str(out)]
    assert subprocess.run(command, capture_output=True).returncode == 0
    x = np.asarray(mmread(out)).ravel()
    A = sp.csr_array(mmread(folder / "A.mtx"))
    assert np.array_equal(taut.solve(A, b, lo, hi).x, x)
    assert np.array_equal(taut.Problem.read(folder).solve().x, x)
    status = subprocess.run([*command[:4], str(tmp_path / "none")], capture_output=True)
    assert status.returncode == 2
    with pytest.raises(taut.Error) as error:
        taut.Problem.read(tmp_path / "none")
    assert str(error.value) in status.stderr.decode()


def test_without_symmetry() -> None:
    rng = np.random.default_rng(5)
    for n in (4, 30, 1500):
        M = sp.random_array((n, n), density=min(1.0, 4 / n), rng=rng) + 6 * sp.eye_array(n)
        q = rng.normal(size=n)
        for solver in ("auto", "lcp_ipm", "fischer_newton", "min_map_newton"):
            r = taut.lcp(M.tocsc(), q, solver=solver)
            assert r.success, (n, solver, r)
            assert judge(M, q, 0.0, np.inf, r.x) < 1e-8
        assert np.allclose(taut.lcp(M.tocsr(), q).w, M @ r.x + q, atol=1e-8)
    with pytest.raises(taut.RefusedError, match="symmetric"):
        taut.lcp([[1.0, 2.0], [0.0, 1.0]], [1.0, 1.0], solver="bpp")


def test_what_has_no_solution_says_so() -> None:
    r = taut.lcp([[-1.0]], [-1.0])
    assert not r.success and not r and r.status in ("Infeasible", "Ray")
    r = taut.solve([[0.0]], [-1.0], lo=0.0)
    assert r.status == "Infeasible" and len(r.certificate) == 1


def test_contacts() -> None:
    rng = np.random.default_rng(1)
    B = rng.normal(size=(9, 12))
    W, q = B @ B.T, rng.normal(size=9)
    mu = np.array([0.3, 0.5, 0.8])
    r = taut.solve_contact(W, q, mu)
    assert r.success
    x = r.x.reshape(3, 3)
    assert np.all(np.hypot(x[:, 1], x[:, 2]) <= mu * x[:, 0] + 1e-9)
    same = taut.solve_contact(sp.csr_array(W), q, np.repeat(mu[:, None], 2, axis=1))
    assert np.allclose(same.x, r.x, atol=1e-8)
    torsion = taut.solve_contact(np.eye(4), [-1.0, 0.0, 0.0, 5.0], [[0.5, 0.5, 0.1]])
    assert torsion.success and abs(torsion.x[3] + 0.1) < 1e-9
    assert taut.solve_contact(W, q, mu, associated=True).success
    with pytest.raises(taut.Error, match="mu has 2 entries, expected 3"):
        taut.solve_contact(W, q, [0.1, 0.2])
    with pytest.raises(taut.Error, match="three rows"):
        taut.solve_contact(np.eye(4), np.ones(4), 0.5)


def test_multibody() -> None:
    rng = np.random.default_rng(2)
    n, m = 4, 10
    M = np.stack([np.diag(rng.uniform(1, 5, 6)) for _ in range(n)])
    J, C, b = rng.normal(size=(m, 6 * n)), np.full(m, 1e-6), rng.normal(size=m)
    whole = np.zeros((6 * n, 6 * n))
    for i in range(n):
        whole[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = M[i]
    A = J @ np.linalg.inv(whole) @ J.T + np.diag(C)
    expected = taut.solve(A, b, lo=0.0)
    for mass in (M, whole, sp.csr_array(whole)):
        for jacobian in (J, sp.csr_array(J), sp.csc_array(J)):
            problem = taut.Problem.multibody(mass, jacobian, b, 0.0, C=C)
            assert problem.form == "multibody"
            assert np.allclose(problem.solve().x, expected.x, atol=1e-8)
    assert np.allclose(problem.matrix().toarray(), A)
    assert np.allclose(problem @ np.ones(m), A @ np.ones(m))
    mixed = taut.Problem.multibody(M, J[:4], b[:4], laws=[law.bilateral(), law.cone(0.5)], C=1e-6)
    assert mixed.solve().success
    with pytest.raises(taut.Error, match="block-diagonal"):
        taut.Problem.multibody(np.ones((12, 12)), J[:, :12], b, 0.0)
    with pytest.raises(taut.Error, match="J has 12 columns, expected 6 for each of 4"):
        taut.Problem.multibody(M, J[:, :12], b, 0.0)
    with pytest.raises(taut.Error, match="positive definite"):
        taut.Problem.multibody(-M, J, b, 0.0)


def test_laws_of_every_kind() -> None:
    laws = [law.box(0, np.inf), law.friction(0, 0.5, 0.25), law.bilateral(), law.box(-1, 1)]
    problem = taut.Problem(np.eye(4), [-1.0, 1.0, 2.0, 5.0], laws=laws)
    assert np.allclose(problem.solve().x, [1.0, -0.25, -2.0, -1.0])
    assert problem.laws == [(k, [float(x) for x in v]) for k, v in laws]
    following = taut.Problem(
        np.eye(2), [-1.0, 1.0], laws=[law.box(0, np.inf), law.following(0, 0.3)]
    )
    assert np.allclose(following.solve(solver="pgs").x, [1.0, -0.3])
    with pytest.raises(taut.Error, match="not both"):
        taut.Problem(np.eye(1), [1.0], 0.0, laws=[law.bilateral()])
    with pytest.raises(taut.Error, match="law 0: 'nothing'"):
        taut.Problem(np.eye(1), [1.0], laws=[("nothing", [])])


def test_a_solver_starts_where_it_was() -> None:
    A = spd(100, 7)
    b = np.random.default_rng(7).normal(size=100)
    solver = taut.Solver(A, b, lo=0.0)
    cold = solver.solve()
    assert "cold" in cold.choice
    again = solver.solve()
    assert again.iterations == 0 and np.array_equal(again.x, cold.x)
    assert np.array_equal(solver.solve(cold=True).x, cold.x)
    solver.update(b=1.01 * b)
    assert np.array_equal(solver.problem.b, 1.01 * b) and solver.solve().success
    solver.update(lo=-1.0, hi=np.ones(100))
    assert solver.solve().x.min() >= -1.0 and solver.problem.bounds[1].max() == 1.0
    solver.update(2 * A)
    assert np.allclose(solver.problem.matrix().toarray(), 2 * A.toarray())
    assert solver.solve(x0=np.zeros(100)).success
    with pytest.raises(taut.Error, match="exceeds"):
        solver.update(lo=2.0, hi=1.0)
    with pytest.raises(taut.Error, match="b has 3 entries, expected 100"):
        solver.update(b=np.ones(3))
    assert solver.problem.bounds[0].max() == -1.0, "bad values change nothing"


def test_solves_do_not_see_one_another() -> None:
    rng = np.random.default_rng(7)
    problems = []
    for n in (1, 6, 30, 6, 90):
        B = rng.normal(size=(n, n + 1))
        problems.append(taut.Problem(B @ B.T, rng.normal(size=n), lo=-0.5, hi=0.5))
        problems.append(taut.Problem(sp.csr_array(B @ B.T), rng.normal(size=n), lo=0.0))
        if n % 3 == 0:
            problems.append(taut.Problem.contact(B @ B.T, rng.normal(size=n), 0.6))
    # A solver of their own each; then one after the other, which use the same memory.
    alone = [taut.Solver(p).solve() for p in problems]
    for i in [*range(len(problems)), *rng.permutation(len(problems))]:
        r = problems[i].solve()
        assert np.array_equal(r.x, alone[i].x) and r.iterations == alone[i].iterations
    with pytest.raises(taut.Error):
        taut.solve(np.eye(2), [np.nan, 0.0])
    assert np.array_equal(problems[0].solve().x, alone[0].x)


def test_options() -> None:
    A, b = spd(50, 9), -np.ones(50)
    r = taut.solve(A, b, 0.0, solver="pgs", max_iterations=3)
    assert r.status == "IterationLimit" and r.iterations == 3 and not r.success
    assert r.history.shape == (3, 2) and r.history[0, 1] > r.history[2, 1]
    loose = taut.solve(A, b, 0.0, solver="pgs", tol=1e-2)
    assert loose.success and 1e-9 < loose.residual <= 1e-2
    x = taut.solve(A, b, 0.0).x
    assert taut.solve(A, b, 0.0, x0=x).iterations == 0
    assert taut.solve(A, b, 0.0, solver="psor", settings={"relaxation": 1.2}).success
    with pytest.raises(taut.Error, match="no setting 'speed'; known"):
        taut.solve(A, b, 0.0, solver="psor", settings={"speed": 2})
    with pytest.raises(taut.Error, match="relaxation"):
        taut.solve(A, b, 0.0, solver="psor", settings={"relaxation": 7.0})
    with pytest.raises(taut.Error, match="no solver is called 'magic'; known: auto, "):
        taut.solve(A, b, 0.0, solver="magic")
    for s in taut.solvers():
        assert s.summary and s.limits
    assert "Converged" in repr(loose) and "µs" in repr(loose) or "ms" in repr(loose)


@pytest.mark.parametrize("form", ["dense", "sparse", "sparse, not symmetric", "multibody"])
def test_pickles(form: str) -> None:
    rng = np.random.default_rng(0)
    if form == "multibody":
        problem = taut.Problem.read("multibody:10")
    elif form == "dense":
        problem = taut.Problem(np.eye(3) + 0.1, [-1.0, 2.0, 0.0], 0.0)
    elif form == "sparse":
        problem = taut.Problem(spd(40), rng.normal(size=40), 0.0)
    else:
        M = sp.random_array((1200, 1200), density=1e-4, rng=rng) + sp.eye_array(1200)
        problem = taut.Problem.lcp(M, rng.normal(size=1200))
    assert problem.form == form
    again = pickle.loads(pickle.dumps(problem))
    assert again.form == form and again.laws == problem.laws
    assert np.array_equal(again.solve().x, problem.solve().x)
    result = pickle.loads(pickle.dumps(problem.solve()))
    assert result.success and np.array_equal(result.x, problem.solve().x)
    solver = pickle.loads(pickle.dumps(taut.Solver(problem, solver="auto", tol=1e-8)))
    assert np.array_equal(solver.solve().x, problem.solve(tol=1e-8).x)
    assert np.array_equal(copy.deepcopy(problem).b, problem.b)


def test_qpsolvers() -> None:
    qpsolvers = pytest.importorskip("qpsolvers")
    taut.register_qpsolvers()
    taut.register_qpsolvers()
    P, q = spd(20).toarray(), -np.ones(20)
    x = qpsolvers.solve_qp(P, q, lb=np.zeros(20), ub=np.ones(20), solver="taut")
    assert judge(P, q, 0.0, 1.0, x) < 1e-8
    problem = qpsolvers.Problem(P, q, lb=np.zeros(20))
    solution = qpsolvers.solve_problem(problem, solver="taut")
    assert solution.found and solution.is_optimal(1e-6)
    with pytest.raises(qpsolvers.ProblemError):
        qpsolvers.solve_qp(P, q, G=np.eye(20), h=np.ones(20), solver="taut")
