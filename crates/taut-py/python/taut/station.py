"""Stations of cables, in the words of scene files: what a cable goes through, for
:meth:`taut.World.add_cable`. Lengths in m, in the frame of the body.

>>> from taut import station
>>> station.point("world", (0, 0, 5))
{'body': 'world', 'point': (0.0, 0.0, 5.0)}
"""

from __future__ import annotations

from typing import Any

from ._arrays import vector
from .body import Body

Station = dict[str, Any]


def point(body: Body | str, point: Any = (0, 0, 0), *, friction: float = 0.0) -> Station:
    """A point of a body: an attachment at the ends, in between a ring that it slides through."""
    return _station(body, point, friction, False)


def pulley(
    body: Body | str,
    centre: Any = (0, 0, 0),
    *,
    axis: Any,
    radius: float,
    turns: float = 0.0,
    growth: float = 0.0,
    friction: float = 0.0,
    grips: bool = False,
) -> Station:
    """A wheel that it wraps around: a drum at the ends, in between a sheave. From the first station to
    the last it turns about the axis by the rule of the right hand. ``turns``: full ones beyond the
    least wrap, or wound on the drum. ``growth``: by how much a drum's radius grows with each turn on
    it, the cable's diameter over the turns side by side in a layer. ``grips``: it never slips on it."""
    wheel = {"axis": vector(axis, "axis"), "radius": radius, "turns": turns, "growth": growth}
    return {**_station(body, centre, friction, grips), "pulley": wheel}


def edge(body: Body | str, start: Any, end: Any, *, friction: float = 0.0) -> Station:
    """A straight edge of a body that it may lie on, from ``start`` to ``end``: it turns about that direction by
    the rule of the right hand, crosses the edge where its way is the shortest, lifts off and touches
    again."""
    return {**_station(body, start, friction, False), "edge": vector(end, "edge")}


def _station(body: Body | str, point: Any, friction: float, grips: bool) -> Station:
    name = body.name if isinstance(body, Body) else body
    station: Station = {"body": name, "point": vector(point, "point")}
    if friction != 0.0:
        station["friction"] = friction
    if grips:
        station["grips"] = True
    return station
