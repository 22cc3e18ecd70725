"""taut as a solver of qpsolvers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .solver import solve


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
