"""Many worlds at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from . import _taut
from ._arrays import number, seconds
from ._taut import Error
from .records import STEP
from .world import World


def batch(
    worlds: Sequence[World],
    steps: int,
    *,
    dt: float | None = None,
    threads: int | None = None,
) -> list[NDArray[Any]]:
    """Steps of many worlds at the same time, on all cores of this machine (or ``threads`` of them).
    Returns their figures, as :meth:`World.step_many` does; results do not depend on the threads.

    >>> import taut
    >>> worlds = [taut.World.load("loaded-chain", size=k) for k in (5, 10)]
    >>> [len(figures) for figures in taut.batch(worlds, 30)]
    [30, 30]
    """
    threads = cores() if threads is None else number(threads, "threads")
    if threads < 1:
        raise Error(f"threads = {threads} is out of range: at least 1")
    if isinstance(worlds, World) or not all(isinstance(world, World) for world in worlds):
        raise Error("worlds: expected a list of worlds")
    natives = [world._native for world in worlds]
    results = _taut.run_batch(natives, number(steps, "steps"), threads, seconds(dt))
    return [result[0].view(STEP) for result in results]


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
