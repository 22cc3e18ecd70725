"""Times solvers on sparse complementarity problems without symmetry, which have few other homes.

python lcp_benchmark.py [ROWS ...]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from scipy.sparse import diags_array, eye_array, kron

import taut


def obstacle(side: int, wind: float = 20.0) -> tuple[Any, Any]:
    """A membrane over an obstacle with a wind along it (convection makes M lose its symmetry)."""
    h = 1.0 / (side + 1)
    unit = eye_array(side)
    second = diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side)) / h**2
    first = diags_array([-1.0, 1.0], offsets=[-1, 0], shape=(side, side)) / h
    M = kron(second, unit) + kron(unit, second) + wind * kron(unit, first)
    x, y = np.meshgrid(*2 * [np.linspace(h, 1 - h, side)])
    q = 30.0 * np.sin(3 * np.pi * x) * np.sin(2 * np.pi * y)
    return M.tocsr(), q.ravel()


def main() -> None:
    """One line a solver and size."""
    sides = [int(a) for a in sys.argv[1:]] or [20, 40]
    for side in sides:
        M, q = obstacle(side)
        for solver in ("auto", "lcp_ipm", "fischer_newton", "min_map_newton"):
            r = taut.lcp(M, q, solver=solver, tol=1e-8)
            print(
                f"{side * side:6} rows  {solver:15} {r.status:14} residual {r.residual:.1e}  "
                f"{1e3 * r.seconds:9.2f} ms  {r.choice}"
            )


if __name__ == "__main__":
    main()
