"""What a study is told: by arguments, or by a TOML file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, Required, TypedDict

from .._taut import Error


class Spec(TypedDict, total=False):
    """What to run, beside the scene."""

    parameters: Required[dict[str, Any]]
    """By path (``"bodies.load.mass"``), each a list, or a range ``{"low": 1, "high": 10}``."""
    metrics: Required[Any]
    """Definitions by name, or a function of world and recording."""
    seconds: Required[float]
    method: str
    """``grid`` (default), ``random`` or ``latin_hypercube``."""
    samples: int | None
    """Of random and latin_hypercube."""
    seed: int
    dt: float | None
    """Time step in s; default: the scene's."""
    size: int | None
    """Of a built-in scene."""
    settings: dict[str, Any] | None
    """As in scene files, in place of the scene's."""
    out: str | os.PathLike[str]
    """Folder of the results; default "study"."""


def check(spec: Mapping[str, Any], place: str = "study", also: Iterable[str] = ()) -> None:
    """Refuses words that mean nothing, and misses those that are needed."""
    _unknown(place, spec, {*Spec.__annotations__, *also})
    for needed in (*also, "parameters", "metrics", "seconds"):
        if needed not in spec:
            raise Error(f"{place}: '{needed}' is missing")


def read_spec(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A study from a TOML file: what to run, and how."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            spec = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as e:
        raise Error(f"{name}: {e}") from None
    how = spec.pop("run", {})
    check(spec, name, also=["scene"])
    _unknown(f"{name}: run", how, {"executor", "workers", "address"})
    beside = os.path.join(os.path.dirname(name), spec["scene"])
    if os.path.exists(beside):
        spec["scene"] = beside
    spec.setdefault("out", os.path.splitext(name)[0] + "-results")
    return spec, how


def _unknown(place: str, given: Iterable[str], known: set[str]) -> None:
    wrong = set(given) - known
    if wrong:
        raise Error(f"{place}: unknown {sorted(wrong)}; known: {', '.join(sorted(known))}")
