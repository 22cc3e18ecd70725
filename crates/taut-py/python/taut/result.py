"""What a solve ended with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import Floats


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
            f"{count(self.iterations, 'iteration')}, {_time(self.seconds)}; {self.choice}>"
        )


def count(n: int, what: str) -> str:
    """How many, in words."""
    return f"{n} {what}{'' if n == 1 else 's'}"


def _time(seconds: float) -> str:
    return f"{1e6 * seconds:.0f} µs" if seconds < 1e-3 else f"{1e3 * seconds:.3g} ms"


def result(raw: Any) -> Result:
    """From what the native half says."""
    x, w, states, certificate, history, numbers, counts, names = raw
    residual, natural, energy, _, violation, gap, compliance, seconds = numbers
    iterations, _, factorizations, pivots, worst = counts
    status, solver, choice = names
    return Result(
        x, w, status, residual, natural, energy, iterations, factorizations, pivots, solver, choice,
        history, states, certificate, violation, gap, compliance, worst, seconds,
    )  # fmt: skip
