"""Points of a study: grids, random and Latin-hypercube samples. The same seed gives the same points."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from .._taut import Error

METHODS = ("grid", "random", "latin_hypercube")


def points(
    parameters: dict[str, Any], method: str, samples: int | None, seed: int
) -> list[dict[str, Any]]:
    """The values of all parameters in every run.

    A parameter is a list of values, or a range ``{"low": a, "high": b}``, which may have
    ``"log": True``, ``"integer": True`` and, for grids, ``"count": k``. Anything else is the value
    of every run.

    >>> from taut.study.sampling import points
    >>> points({"mass": [1, 2], "length": {"low": 0, "high": 1, "count": 2}}, "grid", None, 0)
    [{'mass': 1, 'length': 0.0}, {'mass': 1, 'length': 1.0}, {'mass': 2, 'length': 0.0}, {'mass': 2, 'length': 1.0}]
    """
    if method not in METHODS:
        raise Error(f"method '{method}' is not known: {', '.join(METHODS)}")
    if not isinstance(parameters, dict):
        raise Error("parameters: expected lists and ranges by name")
    parameters = {
        name: p.tolist() if isinstance(p, np.ndarray) else p for name, p in parameters.items()
    }
    for name, parameter in parameters.items():
        _check(name, parameter)
    names = list(parameters)
    if method == "grid":
        if samples is not None:
            raise Error("samples are for random and latin_hypercube; a grid has as many as it has")
        axes = [_axis(name, parameters[name]) for name in names]
        return [dict(zip(names, values)) for values in itertools.product(*axes)]
    if samples is None or isinstance(samples, bool) or int(samples) != samples or samples < 1:
        raise Error(f"samples = {samples} is out of range: at least 1")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise Error(f"seed = {seed!r} is out of range: a whole number, at least 0")
    rng = np.random.default_rng(seed)
    unit = rng.random((samples, len(names)))
    if method == "latin_hypercube":
        # In each of as many slices of every range there is one sample.
        for column in range(len(names)):
            unit[:, column] = (rng.permutation(samples) + unit[:, column]) / samples
    return [
        {name: _value(parameters[name], float(u)) for name, u in zip(names, row)} for row in unit
    ]


def _check(name: str, parameter: Any) -> None:
    if isinstance(parameter, dict):
        unknown = set(parameter) - {"low", "high", "log", "integer", "count"}
        if unknown or not {"low", "high"} <= set(parameter):
            raise Error(
                f"parameter '{name}': a range has low and high, and perhaps log, integer, count"
            )
        low, high = parameter["low"], parameter["high"]
        for x in (low, high):
            if isinstance(x, bool) or not isinstance(x, (int, float)) or not math.isfinite(x):
                raise Error(f"parameter '{name}': expected finite numbers, found {x!r}")
        if not low <= high or (parameter.get("log") and low <= 0):
            raise Error(f"parameter '{name}': expected low <= high, and low > 0 if log")
    elif isinstance(parameter, (list, tuple)) and not parameter:
        raise Error(f"parameter '{name}' has no values")


def _axis(name: str, parameter: Any) -> list[Any]:
    if isinstance(parameter, dict):
        count = parameter.get("count")
        if not isinstance(count, int) or count < 1:
            raise Error(f"parameter '{name}': a range in a grid needs a count")
        shares = np.linspace(0.0, 1.0, count) if count > 1 else np.array([0.0])
        return [_value(parameter, float(u), exact=True) for u in shares]
    return list(parameter) if isinstance(parameter, (list, tuple)) else [parameter]


def _value(parameter: Any, u: float, exact: bool = False) -> Any:
    if isinstance(parameter, (list, tuple)):
        return parameter[min(int(u * len(parameter)), len(parameter) - 1)]
    if not isinstance(parameter, dict):
        return parameter
    low, high = float(parameter["low"]), float(parameter["high"])
    if parameter.get("integer"):
        if exact:
            return round(low + u * (high - low))
        return min(int(low + u * (high - low + 1)), int(high))
    if parameter.get("log"):
        return float(math.exp(math.log(low) + u * (math.log(high) - math.log(low))))
    return low + u * (high - low)
