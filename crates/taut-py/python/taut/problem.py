"""Complementarity problems."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _taut
from ._arrays import Floats, floats, number, spread
from ._taut import Error
from .law import Law, cone
from .result import Result, count, result

Laws = tuple[Floats, Floats] | list[Law]
Options = tuple[str, float, int | None, dict[str, Any] | None]


class _Spare(threading.local):
    """The session of a thread's last solve of a small problem by default means. The next one takes it
    and starts from nothing: the same bits, in 3 to 30 % less time, for memory is at hand (measured on
    boxed problems of 75 to 4,040 rows)."""

    kept: tuple[_taut.Session, Options] | None = None

    def take(self, problem: _taut.Problem, chosen: Options) -> _taut.Session:
        kept, self.kept = self.kept, None
        if kept is None or kept[1] != chosen:
            return _taut.Session(problem, *chosen)
        kept[0].set_problem(problem)
        return kept[0]

    def keep(self, session: _taut.Session, chosen: Options) -> None:
        session.forget_problem()
        self.kept = (session, chosen)


_spare = _Spare()


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


def _laws(rows: int, lo: Any, hi: Any, laws: Sequence[Law] | None) -> Laws:
    """Bounds for all rows, or the laws that are given in their place."""
    if laws is None:
        return spread(lo, "lo", rows, -np.inf), spread(hi, "hi", rows, np.inf)
    if lo is not None or hi is not None:
        raise Error("give lo and hi, or laws, not both")
    return list(laws)


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
        self._native = _pose(A, b, _laws(len(b), lo, hi, laws))

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
        given = _laws(len(b), lo, hi, laws)
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
        return Problem._of(self._native.replace(*changes(self.rows, b, lo, hi)))

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
        chosen = options(solver, tol, max_iterations, settings)
        start = None if x0 is None else floats(x0, "x0", 1)
        if not self._is_small() or solver != "auto" or settings:
            return result(_taut.Session(self._native, *chosen).solve(start))
        session = _spare.take(self._native, chosen)
        raw = session.solve(start, True)
        _spare.keep(session, chosen)
        return result(raw)

    def _is_small(self) -> bool:
        """Whether memory for its solve is worth keeping, and no burden."""
        return self.rows <= (500 if self.form == "dense" else 5000)

    def __repr__(self) -> str:
        return f"<taut.Problem: {count(self.rows, 'row')}, {self.form}>"

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self._native.parts() or self._native.entries()
        return (_restore, (parts, self.b, self.laws, self.form))


def options(
    solver: str, tol: float, max_iterations: int | None, settings: dict[str, Any] | None
) -> Options:
    """How to solve, checked."""
    if not isinstance(solver, str):
        raise Error(f"solver: expected a name, found {solver!r}")
    if not isinstance(tol, (int, float, np.number)):
        raise Error(f"tol: expected a number, found {tol!r}")
    most = None if max_iterations is None else number(max_iterations, "max_iterations")
    if not (settings is None or isinstance(settings, dict)):
        raise Error(f"settings: expected them by name, found {settings!r}")
    return solver, float(tol), most, settings


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


def changes(
    rows: int, b: Any, lo: Any, hi: Any
) -> tuple[Floats | None, Floats | None, Floats | None]:
    """Another b, other bounds, as arrays."""
    return (
        None if b is None else floats(b, "b", 1),
        None if lo is None else spread(lo, "lo", rows, -np.inf),
        None if hi is None else spread(hi, "hi", rows, np.inf),
    )
