"""Laws of rows, for problems that mix them: ``taut.Problem(A, b, laws=[...])``.

With impulses x and velocities w = A x + b:

>>> from taut import law
>>> law.box(0.0, 2.0)
('box', [0.0, 2.0])
"""

from __future__ import annotations

from collections.abc import Sequence

Law = tuple[str, list[float]]


def bilateral() -> Law:
    """w = 0, x unbounded: a joint."""
    return ("bilateral", [])


def box(lo: float, hi: float) -> Law:
    """lo <= x <= hi; w >= 0 at lo, w <= 0 at hi, w = 0 between."""
    return ("box", [float(lo), float(hi)])


def friction(normal: int, mu: float, bound: float) -> Law:
    """-bound <= x <= bound, the bound frozen: ``mu`` times the impulse in row ``normal``."""
    return ("friction", [float(normal), float(mu), float(bound)])


def following(normal: int, mu: float) -> Law:
    """-mu x[normal] <= x <= mu x[normal], of the same answer. For ``pgs``, ``psor``, ``nncg``,
    ``jacobi`` and ``staggering``."""
    return ("following", [float(normal), float(mu)])


def cone(mu: float | Sequence[float], associated: bool = False) -> Law:
    """Coulomb's cone on the rows (normal, tangent, tangent). Two coefficients make it elliptic; a
    third adds a row of torsion, a fourth and fifth rows of rolling. ``associated``: the convex law,
    by which what slides opens.

    >>> from taut import law
    >>> law.cone(0.5)
    ('cone', [0.5, 0.5])
    """
    numbers = [float(mu)] * 2 if isinstance(mu, (int, float)) else [float(m) for m in mu]
    return ("associated" if associated else "cone", numbers)


def rolling(mu: float, rolling: float, associated: bool = False) -> Law:
    """Friction and rolling resistance with a disc each, on the rows (normal, tangent, tangent, turn,
    turn): |friction| <= mu normal and |moment| <= rolling normal. For ``auto``, ``cone_newton``,
    ``cone_ipm`` and ``bgs``.

    >>> from taut import law
    >>> law.rolling(0.5, 0.01)
    ('rolling', [0.5, 0.01])
    """
    return ("associated_rolling" if associated else "rolling", [float(mu), float(rolling)])
