"""Cables of a world."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ._arrays import Floats

if TYPE_CHECKING:
    from .world import World


class Cable:
    """A cable of a world, by its name. Tensions are those of the last step, in N."""

    __slots__ = ("name", "world")

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name

    @property
    def state(self) -> Any:
        """Its record of :attr:`World.cables`."""
        self.world._native.winch(self.name)  # says so if it is gone
        return self.world.cables[self.world.cable_names.index(self.name)]

    @property
    def tension(self) -> float:
        """The largest of its spans."""
        return float(self.state["tension"])

    @property
    def tensions(self) -> Floats:
        """From each station to the next in N; the largest where it lies on bodies in between."""
        return self.world._native.cable_parts(self.name)[0]

    @property
    def wraps(self) -> Floats:
        """Angle around each station in rad, negative where it does not touch it; on a drum, all that
        is wound on it."""
        return self.world._native.cable_parts(self.name)[1]

    @property
    def touches(self) -> NDArray[Any]:
        """Whether it touches each station: a pulley may be too far away."""
        return self.world._native.cable_parts(self.name)[2]

    @property
    def length(self) -> float:
        """Its rest length in m; a winch changes it."""
        return float(self.state["length"])

    @property
    def way(self) -> float:
        """Length of its way through the stations in m."""
        return float(self.state["way"])

    @property
    def slack(self) -> float:
        """How much longer it is than its way, in m."""
        return float(self.state["slack"])

    @property
    def stretch(self) -> float:
        """Stretch of a cable that gives, error of one that does not, in m."""
        return float(self.state["stretch"])

    @property
    def is_taut(self) -> bool:
        """Whether it pulled in the last step."""
        return bool(self.state["taut"])

    @property
    def line(self) -> Floats:
        """Points (k, 3) of the line that it takes now, arcs around pulleys included."""
        return self.world._native.cable_line(self.name)[0]

    @property
    def winch(self) -> dict[str, float] | None:
        """What pays it out and takes it in; assign in the words of scene files, or None:
        ``{"speed": -0.5, "max_force": 2e4}`` (a positive speed pays out)."""
        found = self.world._native.winch(self.name)
        if found is None:
            return None
        speed, force = found
        return {"speed": speed} if math.isinf(force) else {"speed": speed, "max_force": force}

    @winch.setter
    def winch(self, value: dict[str, float] | None) -> None:
        self.world._native.set_winch(self.name, value)

    def remove(self) -> None:
        """Takes it out of the world."""
        self.world._native.remove_cable(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cable) and (self.world, self.name) == (other.world, other.name)

    def __hash__(self) -> int:
        return hash((id(self.world), self.name))

    def __repr__(self) -> str:
        if not self.world._native.has_cable(self.name):
            return f"<taut.Cable '{self.name}': gone>"
        return f"<taut.Cable '{self.name}': {self.length:.6g} m, {self.tension:.6g} N>"
