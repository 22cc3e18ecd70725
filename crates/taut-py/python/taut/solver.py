"""Solving: at once, or again and again."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _taut
from ._arrays import floats
from ._taut import Error
from .problem import Problem, changes, options
from .result import Result, result


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
        self._options = options(solver, tol, max_iterations, settings)
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
            self._native.update(*changes(self._native.problem.rows, b, lo, hi))

    def solve(self, x0: Any = None, *, cold: bool = False) -> Result:
        """Solves from ``x0``, or from the last answer, or (``cold``) from nothing."""
        return result(self._native.solve(None if x0 is None else floats(x0, "x0", 1), cold))

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
