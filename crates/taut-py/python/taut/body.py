"""Bodies of a world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Floats, quaternion, vector

if TYPE_CHECKING:
    from .world import World


class Body:
    """A body of a world, by its name. Positions are those of its origin."""

    __slots__ = ("name", "world")

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name

    @property
    def position(self) -> Floats:
        """Position of its origin in m."""
        return self.world._native.get_one(self.name, "positions")

    @position.setter
    def position(self, value: Any) -> None:
        self._set("positions", vector(value, "position"))

    @property
    def orientation(self) -> Floats:
        """Quaternion (w, x, y, z)."""
        return self.world._native.get_one(self.name, "orientations")

    @orientation.setter
    def orientation(self, value: Any) -> None:
        self._set("orientations", quaternion(value, "orientation"))

    @property
    def velocity(self) -> Floats:
        """Velocity of its centre of mass in m/s."""
        return self.world._native.get_one(self.name, "velocities")

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._set("velocities", vector(value, "velocity"))

    @property
    def angular_velocity(self) -> Floats:
        """In world coordinates, in rad/s."""
        return self.world._native.get_one(self.name, "angular_velocities")

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        self._set("angular_velocities", vector(value, "angular_velocity"))

    @property
    def centre_of_mass(self) -> Floats:
        """In world coordinates, in m."""
        return self.world._native.get_one(self.name, "centres_of_mass")

    @property
    def mass(self) -> float:
        """In kg."""
        return float(self.world._native.get_one(self.name, "masses")[0])

    @property
    def inertia(self) -> Floats:
        """About its centre of mass, along its axes, in kg·m² (3, 3)."""
        return np.array(self.world._native.body_info(self.name)[3])

    @property
    def kind(self) -> str:
        """``dynamic``, ``kinematic`` or ``fixed``."""
        return self.world._native.body_info(self.name)[0]

    @property
    def is_asleep(self) -> bool:
        """Whether it lies in an island that sleeps."""
        return self.world._native.body_info(self.name)[1]

    @property
    def quarantine(self) -> str | None:
        """Why it was taken out of the dynamics, if it was."""
        return self.world._native.body_info(self.name)[2]

    def _set(self, what: str, value: Sequence[float]) -> None:
        self.world._native.set_one(self.name, what, value)

    def apply_force(self, force: Any, point: Any = None) -> None:
        """Adds a force in N for the next step, at its centre of mass or at a point of the world."""
        at = None if point is None else vector(point, "point")
        self.world._native.push(self.name, "force", vector(force, "force"), at)

    def apply_torque(self, torque: Any) -> None:
        """Adds a torque in N·m for the next step."""
        self.world._native.push(self.name, "torque", vector(torque, "torque"))

    def apply_impulse(self, impulse: Any, point: Any = None) -> None:
        """Changes its velocities at once, by an impulse in N·s."""
        at = None if point is None else vector(point, "point")
        self.world._native.push(self.name, "impulse", vector(impulse, "impulse"), at)

    def apply_angular_impulse(self, impulse: Any) -> None:
        """Changes its angular velocity at once, by an impulse in N·m·s."""
        self.world._native.push(self.name, "angular_impulse", vector(impulse, "impulse"))

    def move_to(self, position: Any, orientation: Any = (1, 0, 0, 0)) -> None:
        """Sends a kinematic body there within the next step."""
        x, q = vector(position, "position"), quaternion(orientation, "orientation")
        self.world._native.move_to(self.name, x, q)

    def set_surface_velocity(self, velocity: Any) -> None:
        """Lets its surface run, in its own frame: a conveyor belt."""
        self.world._native.set_surface_velocity(self.name, vector(velocity, "velocity"))

    def remove(self) -> None:
        """Takes it out of the world, with its joints."""
        self.world._native.remove_body(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Body) and (self.world, self.name) == (other.world, other.name)

    def __hash__(self) -> int:
        return hash((id(self.world), self.name))

    def __repr__(self) -> str:
        if not self.world._native.has_body(self.name):
            return f"<taut.Body '{self.name}': removed>"
        x, y, z = self.position
        return f"<taut.Body '{self.name}': {self.kind}, {self.mass:.6g} kg, at ({x:.6g}, {y:.6g}, {z:.6g})>"
