"""Complementarity problems and their solvers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _taut
from ._arrays import Floats, floats, spread
from ._taut import Error
from .law import Law, cone


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Result:
    """What a solve ended with. ``success`` is the verdict of a judge that looks at the answer
    alone, whatever the method claims."""

    x: Floats
    """The answer."""
    w: Floats
    """A x + b."""
    status: str
    """``Converged``, or why not: ``IterationLimit``, ``Stalled``, ``Infeasible``, ``Ray`` ..."""
    residual: float
    """Largest natural residual, relative to max |b|; what ``tol`` is compared with."""
    natural_residual: float
    """The same, absolute."""
    energy_error: float
    """Largest error of a row, in the units of x w / 2 (joule for impulses)."""
    iterations: int
    factorizations: int
    pivots: int
    solver: str
    """The solver that was asked for."""
    choice: str
    """What did the work, and why."""
    history: Floats = field(repr=False)
    """(k, 2): iterations and natural residuals, as far as the method knows them."""
    states: NDArray[np.int8] = field(repr=False)
    """-1 where x is at its lower bound, 1 at its upper bound, 0 between; empty where the method
    does not say."""
    certificate: Floats = field(repr=False)
    """Where ``status`` is ``Infeasible``: a direction that proves that there is no solution."""
    bound_violation: float
    friction_gap: float
    compliance: float
    """Compliance that was added to cones because they did not settle; 0 if none was."""
    worst_row: int
    seconds: float
    """Time of the solve, without the conversion of its input."""

    @property
    def success(self) -> bool:
        """Whether the answer is within the tolerance."""
        return self.status == "Converged"

    def __bool__(self) -> bool:
        return self.success

    def __repr__(self) -> str:
        return (
            f"<taut.Result: {self.status}, residual {self.residual:.1e}, "
            f"{_count(self.iterations, 'iteration')}, {_time(self.seconds)}; {self.choice}>"
        )


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _time(seconds: float) -> str:
    return f"{1e6 * seconds:.0f} µs" if seconds < 1e-3 else f"{1e3 * seconds:.3g} ms"


def _result(raw: Any) -> Result:
    x, w, states, certificate, history, numbers, counts, names = raw
    residual, natural, energy, _, violation, gap, compliance, seconds = numbers
    iterations, _, factorizations, pivots, worst = counts
    status, solver, choice = names
    return Result(
        x, w, status, residual, natural, energy, iterations, factorizations, pivots, solver, choice,
        history, states, certificate, violation, gap, compliance, worst, seconds,
    )  # fmt: skip


Laws = tuple[Floats, Floats] | list[Law]


def _pose(A: Any, b: Any, laws: Laws) -> _taut.Problem:
    """A problem from a dense or sparse matrix."""
    if not _is_sparse(A):
        return _taut.Problem.dense(floats(A, "A", 2), b, laws)
    if A.format not in ("csr", "csc"):
        A = A.tocsr()
    rows, columns = A.shape
    if rows != columns:
        raise Error(f"A has {rows} rows and {columns} columns: it must be square")
    return _taut.Problem.sparse(
        _indices(A.indptr, "A.indptr"),
        _indices(A.indices, "A.indices"),
        floats(A.data, "A", 1),
        A.format == "csc",
        b,
        laws,
    )


def _is_sparse(A: Any) -> bool:
    """Matrices and arrays of scipy, without importing it."""
    return hasattr(A, "tocsr")


def _indices(given: Any, what: str) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(given)
    if array.dtype not in (np.int32, np.int64):
        if array.dtype.kind not in "iu":
            raise Error(f"{what}: expected integers, found an array of {array.dtype}")
        array = array.astype(np.int64)
    return array


class Problem:
    """w = A x + b with a law for every row; never changes.

    ``A`` is a numpy array or a scipy sparse matrix, symmetric or not; it is copied. Rows are boxes
    lo <= x <= hi (numbers or arrays; ``None``: unbounded), or obey ``laws``, one after the other
    (see :mod:`taut.law`).

    >>> import numpy as np, taut
    >>> problem = taut.Problem(np.diag([2.0, 1.0]), [-1.0, -5.0], lo=0.0, hi=[10.0, 3.0])
    >>> problem
    <taut.Problem: 2 rows, dense>
    >>> problem.solve().x
    array([0.5, 3. ])
    """

    __slots__ = ("_native",)
    _native: _taut.Problem

    def __init__(
        self,
        A: Any,
        b: Any,
        lo: Any = None,
        hi: Any = None,
        *,
        laws: Sequence[Law] | None = None,
    ) -> None:
        b = floats(b, "b", 1)
        if laws is None:
            given: Laws = (spread(lo, "lo", len(b), -np.inf), spread(hi, "hi", len(b), np.inf))
        elif lo is None and hi is None:
            given = list(laws)
        else:
            raise Error("give lo and hi, or laws, not both")
        self._native = _pose(A, b, given)

    @classmethod
    def _of(cls, native: _taut.Problem) -> Problem:
        problem = cls.__new__(cls)
        problem._native = native
        return problem

    @classmethod
    def lcp(cls, M: Any, q: Any) -> Problem:
        """The textbook's problem: x >= 0, w = M x + q >= 0, x·w = 0. M need not be symmetric."""
        return cls(M, q, lo=0.0)

    @classmethod
    def contact(cls, W: Any, q: Any, mu: Any, *, associated: bool = False) -> Problem:
        """Contacts with Coulomb friction: rows (normal, tangent, tangent) for each. ``mu``: one
        number, one a contact, or (contacts, k) with the coefficients of k = 2 to 5 rows behind
        each normal (elliptic friction, torsion, rolling)."""
        q = floats(q, "q", 1)
        coefficients = np.asarray(mu)
        if coefficients.dtype.kind not in "fiub" or coefficients.ndim > 2:
            raise Error("mu: expected a number, one a contact, or an array (contacts, 2 to 5)")
        if coefficients.ndim < 2:
            if len(q) % 3:
                raise Error(f"q has {len(q)} entries: contacts have three rows each")
            flat = spread(mu if coefficients.ndim else float(coefficients), "mu", len(q) // 3, 0.0)
            if len(flat) != len(q) // 3:
                raise Error(f"mu has {len(flat)} entries, expected {len(q) // 3}")
            coefficients = np.repeat(flat[:, None], 2, axis=1)
        return cls(W, q, laws=[cone(row, associated) for row in coefficients.tolist()])

    @classmethod
    def multibody(
        cls,
        M: Any,
        J: Any,
        b: Any,
        lo: Any = None,
        hi: Any = None,
        *,
        C: Any = 0.0,
        laws: Sequence[Law] | None = None,
    ) -> Problem:
        """A = J M⁻¹ Jᵀ + C, kept apart: mass blocks ``M`` (n, 6, 6) or block-diagonal (6n, 6n),
        ``J`` (m, 6n), dense or sparse, and the diagonal ``C`` (compliance). On machines with many
        rows a body this is far faster than A itself.

        >>> import numpy as np, taut
        >>> M = np.eye(6)[None] * 2.0                      # one body of 2 kg
        >>> J = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])  # a contact below it
        >>> taut.Problem.multibody(M, J, [-0.1635], lo=0.0).solve().x
        array([0.327])
        """
        b = floats(b, "b", 1)
        masses = _blocks(M)
        if not _is_sparse(J):
            dense = floats(J, "J", 2)
            rows, columns = dense.shape
            row, indices = np.nonzero(dense)
            indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))])
            values = np.ascontiguousarray(dense[row, indices])
        else:
            J = J.tocsr()
            rows, columns = J.shape
            indptr, indices, values = J.indptr, J.indices, floats(J.data, "J", 1)
        if columns != 6 * len(masses):
            raise Error(f"J has {columns} columns, expected 6 for each of {len(masses)} bodies")
        if laws is None:
            given: Laws = (spread(lo, "lo", len(b), -np.inf), spread(hi, "hi", len(b), np.inf))
        elif lo is None and hi is None:
            given = list(laws)
        else:
            raise Error("give lo and hi, or laws, not both")
        compliance = spread(C, "C", rows, 0.0)
        return cls._of(
            _taut.Problem.multibody(
                masses,
                _indices(indptr, "J.indptr"),
                _indices(indices, "J.indices"),
                values,
                compliance,
                b,
                given,
            )  # fmt: skip
        )

    @classmethod
    def read(cls, name: str | os.PathLike[str]) -> Problem:
        """A folder with A.mtx, b.mtx, lo.mtx and hi.mtx, an FCLIB file (.hdf5), or a generated
        problem NAME:SIZE[:SEED], as the command has them.

        >>> import taut
        >>> taut.Problem.read("multibody:20").solve().success
        True
        """
        return cls._of(_taut.Problem.read(os.fspath(name)))

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._native.rows

    @property
    def form(self) -> str:
        """``dense``, ``sparse``, ``sparse, not symmetric`` or ``multibody``."""
        return self._native.form

    @property
    def b(self) -> Floats:
        """The constant term (a copy)."""
        return self._native.b

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds; tangents of cones count as unbounded."""
        return self._native.bounds()

    @property
    def laws(self) -> list[Law]:
        """The laws of the rows, in order."""
        return self._native.laws()

    def matrix(self) -> Any:
        """A as a scipy sparse array (CSR). Of multibody systems it is formed."""
        from scipy.sparse import csr_array

        indptr, indices, values = self._native.entries()
        return csr_array((values, indices, indptr), shape=(self.rows, self.rows))

    def __matmul__(self, x: Any) -> Floats:
        """A x.

        >>> import taut
        >>> taut.Problem([[2.0, 1.0], [0.0, 1.0]], [0.0, 0.0]) @ [1.0, 1.0]
        array([3., 1.])
        """
        return self._native.apply(floats(x, "x", 1))

    def replace(self, *, b: Any = None, lo: Any = None, hi: Any = None) -> Problem:
        """The same problem with another b, or other bounds."""
        return Problem._of(self._native.replace(*_changes(self.rows, b, lo, hi)))

    def solve(
        self,
        solver: str = "auto",
        tol: float = 1e-9,
        x0: Any = None,
        *,
        max_iterations: int | None = None,
        settings: dict[str, Any] | None = None,
    ) -> Result:
        """Solves it; see :func:`solve`."""
        session = _taut.Session(self._native, solver, float(tol), max_iterations, settings)
        return _result(session.solve(None if x0 is None else floats(x0, "x0", 1)))

    def __repr__(self) -> str:
        return f"<taut.Problem: {_count(self.rows, 'row')}, {self.form}>"

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self._native.parts() or self._native.entries()
        return (_restore, (parts, self.b, self.laws, self.form))


def _restore(parts: tuple[Any, ...], b: Floats, laws: list[Law], form: str) -> Problem:
    if form == "multibody":
        masses, indptr, indices, values, compliance = parts
        native = _taut.Problem.multibody(masses, indptr, indices, values, compliance, b, laws)
    elif form == "dense":
        native = _taut.Problem.dense(parts[2].reshape(len(b), len(b)), b, laws)
    else:
        indptr, indices, values = parts
        native = _taut.Problem.sparse(indptr, indices, values, False, b, laws)
    return Problem._of(native)


def _blocks(M: Any) -> Floats:
    """Mass blocks (n, 6, 6)."""
    if _is_sparse(M):
        n, left = divmod(M.shape[0], 6)
        if left or M.shape[0] != M.shape[1]:
            raise Error(f"M has the shape {M.shape}, expected (6n, 6n)")
        entries = M.tocoo()
        row, column = entries.row, entries.col
        if np.any((row // 6 != column // 6) & (entries.data != 0)):
            raise Error("M must be block-diagonal, with blocks of 6 x 6")
        inside = row // 6 == column // 6
        blocks = np.zeros((n, 6, 6))
        np.add.at(
            blocks,
            (row[inside] // 6, row[inside] % 6, column[inside] % 6),
            entries.data[inside],
        )
        return blocks
    array = np.asarray(M)
    if array.ndim == 2 and array.dtype.kind in "fiub":
        from_dense = floats(array, "M", 2)
        n, left = divmod(len(from_dense), 6)
        if left or from_dense.shape != (6 * n, 6 * n):
            raise Error(f"M has the shape {array.shape}, expected (6n, 6n)")
        split = from_dense.reshape(n, 6, n, 6)
        blocks = np.ascontiguousarray(split[np.arange(n), :, np.arange(n), :])
        if np.count_nonzero(from_dense) != np.count_nonzero(blocks):
            raise Error("M must be block-diagonal, with blocks of 6 x 6")
        return blocks
    return floats(M, "M", 3)


def _changes(
    rows: int, b: Any, lo: Any, hi: Any
) -> tuple[Floats | None, Floats | None, Floats | None]:
    return (
        None if b is None else floats(b, "b", 1),
        None if lo is None else spread(lo, "lo", rows, -np.inf),
        None if hi is None else spread(hi, "hi", rows, np.inf),
    )


def solve(
    A: Any,
    b: Any = None,
    lo: Any = None,
    hi: Any = None,
    solver: str = "auto",
    tol: float = 1e-9,
    x0: Any = None,
    *,
    max_iterations: int | None = None,
    settings: dict[str, Any] | None = None,
) -> Result:
    """Finds x and w = A x + b with lo <= x <= hi; w >= 0 where x = lo, w <= 0 where x = hi, w = 0
    between: the solution of min ½xᵀAx + bᵀx within the box where A is symmetric.

    ``A``: numpy array, scipy sparse matrix, or a :class:`Problem` (then b, lo, hi stay out). It
    need not be symmetric. ``lo``, ``hi``: arrays or numbers, ``None`` for unbounded. ``solver``: one
    of :func:`solvers`. ``tol``: relative natural residual that counts as converged. ``x0``: where to
    start. ``settings``: those of the solver, by name. Python runs on in other threads meanwhile.

    Mistakes in the input raise :class:`taut.Error`; a solve that does not get there does not raise:
    look at ``success``.

    >>> import numpy as np, taut
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(5, 5)).tocsr()
    >>> r = taut.solve(A, -np.ones(5), lo=0.0, hi=2.0)
    >>> r.success, r.x
    (True, array([1.5, 2. , 2. , 2. , 1.5]))
    """
    if isinstance(A, Problem):
        if b is not None or lo is not None or hi is not None:
            raise Error("a Problem has its b, lo and hi")
        problem = A
    elif b is None:
        raise Error("b is missing")
    else:
        problem = Problem(A, b, lo, hi)
    return problem.solve(solver, tol, x0, max_iterations=max_iterations, settings=settings)


def lcp(
    M: Any,
    q: Any,
    solver: str = "auto",
    tol: float = 1e-9,
    x0: Any = None,
    *,
    max_iterations: int | None = None,
    settings: dict[str, Any] | None = None,
) -> Result:
    """The linear complementarity problem x >= 0, w = M x + q >= 0, x·w = 0. M may be sparse, and
    need not be symmetric.

    >>> import taut
    >>> r = taut.lcp([[1.0, 2.0], [0.0, 1.0]], [-1.0, -1.0])
    >>> r.success, r.x, r.w
    (True, array([0., 1.]), array([1., 0.]))
    """
    problem = Problem.lcp(M, q)
    return problem.solve(solver, tol, x0, max_iterations=max_iterations, settings=settings)


def solve_contact(
    W: Any,
    q: Any,
    mu: Any,
    solver: str = "auto",
    tol: float = 1e-9,
    x0: Any = None,
    *,
    associated: bool = False,
    max_iterations: int | None = None,
    settings: dict[str, Any] | None = None,
) -> Result:
    """Contact impulses under Coulomb's law: velocities w = W x + q, rows (normal, tangent, tangent)
    a contact, friction ``mu`` (see :meth:`Problem.contact`).

    >>> import numpy as np, taut
    >>> r = taut.solve_contact(np.eye(3), [-1.0, 2.0, 0.0], mu=0.5)
    >>> r.x.round(9)
    array([ 1. , -0.5,  0. ])
    """
    problem = Problem.contact(W, q, mu, associated=associated)
    return problem.solve(solver, tol, x0, max_iterations=max_iterations, settings=settings)


class Solver:
    """A solver that keeps its memory: each solve starts from the answer before it, and what was
    analysed of the matrix is used again. May be used from several threads, one solve at a time.

    >>> import numpy as np, taut
    >>> solver = taut.Solver(np.array([[2.0, 1.0], [1.0, 2.0]]), [-1.0, 1.0], lo=0.0)
    >>> solver.solve().x
    array([0.5, 0. ])
    >>> solver.update(b=[-1.2, 1.0])
    >>> solver.solve().x
    array([0.6, 0. ])
    """

    def __init__(
        self,
        A: Any,
        b: Any = None,
        lo: Any = None,
        hi: Any = None,
        solver: str = "auto",
        tol: float = 1e-9,
        *,
        max_iterations: int | None = None,
        settings: dict[str, Any] | None = None,
    ) -> None:
        if isinstance(A, Problem):
            problem = A
        elif b is None:
            raise Error("b is missing")
        else:
            problem = Problem(A, b, lo, hi)
        self._options = (solver, float(tol), max_iterations, settings)
        self._native = _taut.Session(problem._native, *self._options)

    @property
    def problem(self) -> Problem:
        """The problem as it is now."""
        return Problem._of(self._native.problem)

    def update(self, A: Any = None, *, b: Any = None, lo: Any = None, hi: Any = None) -> None:
        """Changes the problem: its matrix, the constant term, the bounds. Bad values change
        nothing."""
        if A is not None:
            old = self.problem
            posed = old.b if b is None else b
            if isinstance(A, Problem):
                if b is not None or lo is not None or hi is not None:
                    raise Error("a Problem has its b, lo and hi")
                new = A
            elif lo is None and hi is None:
                new = Problem(A, posed, laws=old.laws)
            else:
                old_lo, old_hi = old.bounds
                new = Problem(A, posed, old_lo if lo is None else lo, old_hi if hi is None else hi)
            self._native.set_problem(new._native)
        else:
            self._native.update(*_changes(self._native.problem.rows, b, lo, hi))

    def solve(self, x0: Any = None, *, cold: bool = False) -> Result:
        """Solves from ``x0``, or from the last answer, or (``cold``) from nothing."""
        return _result(self._native.solve(None if x0 is None else floats(x0, "x0", 1), cold))

    def __reduce__(self) -> tuple[Any, ...]:
        solver, tol, most, settings = self._options
        return (_restore_solver, (self.problem, solver, tol, most, settings))

    def __repr__(self) -> str:
        return f"<taut.Solver: {self._options[0]} on {self.problem!r}>"


def _restore_solver(
    problem: Problem, solver: str, tol: float, most: int | None, settings: dict[str, Any] | None
) -> Solver:
    return Solver(problem, solver=solver, tol=tol, max_iterations=most, settings=settings)


class SolverInfo(NamedTuple):
    """What the list of solvers says of one."""

    name: str
    summary: str
    limits: str
    exact: bool


def solvers() -> list[SolverInfo]:
    """All solvers: their names, what they are, and what they refuse or fail on.

    >>> import taut
    >>> [s.name for s in taut.solvers()][:3]
    ['auto', 'bpp', 'ipm']
    """
    return [SolverInfo(*entry) for entry in _taut.solvers()]


def register_qpsolvers() -> None:
    """Makes ``qpsolvers.solve_qp(P, q, lb=..., ub=..., solver="taut")`` work: boxes only, for
    problems with G, A or equality constraints it raises ``qpsolvers.ProblemError``."""
    import qpsolvers

    def solve_problem(
        problem: Any, initvals: Any = None, verbose: bool = False, **options: Any
    ) -> Any:
        if problem.G is not None or problem.A is not None:
            raise qpsolvers.ProblemError("taut solves problems of boxes: without G, h, A and b")
        r = solve(problem.P, problem.q, problem.lb, problem.ub, x0=initvals, **options)
        solution = qpsolvers.Solution(problem)
        solution.found = r.success
        solution.x = r.x
        solution.z_box = -r.w
        solution.z, solution.y = np.empty(0), np.empty(0)
        solution.obj = float(0.5 * r.x @ (problem.P @ r.x) + problem.q @ r.x)
        solution.extras = {"taut": r}
        solution.solve_time = r.seconds
        if verbose:
            print(r)
        return solution

    # qpsolvers calls functions of this list by the name of the solver.
    qpsolvers.solvers.solve_function["taut"] = solve_problem
    for names in (qpsolvers.solvers.available_solvers, qpsolvers.available_solvers):
        if "taut" not in names:
            names.append("taut")
