"""From what people pass in to arrays of the native half, with messages that say what was wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._taut import Error

Floats = NDArray[np.float64]


def floats(value: Any, what: str, ndim: int) -> Floats:
    """A contiguous array of floats with so many dimensions."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.ndim == ndim:
        return value if value.flags.c_contiguous else np.ascontiguousarray(value)
    if np.ma.is_masked(value):
        raise Error(f"{what}: some of its values are masked")
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as e:
        raise Error(f"{what}: {e}") from None
    if array.dtype.kind not in "fiub":
        raise Error(f"{what}: expected numbers, found an array of {array.dtype}")
    if array.ndim != ndim:
        raise Error(
            f"{what} has the shape {array.shape}, expected {ndim} dimension{'s' if ndim > 1 else ''}"
        )
    return np.ascontiguousarray(array, dtype=np.float64)


def vector(value: Any, what: str) -> tuple[float, float, float]:
    """Three numbers."""
    x = floats(value, what, 1)
    if len(x) != 3:
        raise Error(f"{what} has {len(x)} entries, expected 3")
    return (float(x[0]), float(x[1]), float(x[2]))


def quaternion(value: Any, what: str) -> tuple[float, float, float, float]:
    """Four numbers (w, x, y, z)."""
    x = floats(value, what, 1)
    if len(x) != 4:
        raise Error(f"{what} has {len(x)} entries, expected 4: (w, x, y, z)")
    return (float(x[0]), float(x[1]), float(x[2]), float(x[3]))


def spread(value: Any, what: str, rows: int, default: float) -> Floats:
    """An array of so many rows; a number stands for all of them, None for the default."""
    if value is None:
        return np.full(rows, default)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return np.full(rows, float(value))
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return np.full(rows, float(floats(value, what, 0)))
    array = floats(value, what, 1)
    if len(array) != rows:
        raise Error(f"{what} has {len(array)} entries, expected {rows}")
    return array


def number(value: int, what: str) -> int:
    """A count, 0 or more."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not 0 <= value < 2**63:
        raise Error(f"{what}: expected a whole number, at least 0, found {value!r}")
    return int(value)


def seconds(value: float | None, what: str = "dt") -> float | None:
    """A time step, if one is given; its range is checked where it is used."""
    if value is None or (
        isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    ):
        return None if value is None else float(value)
    raise Error(f"{what}: expected a number, found {value!r}")
