"""Joints of a world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import Floats

if TYPE_CHECKING:
    from .world import World


class Joint:
    """A joint of a world, by its name."""

    __slots__ = ("name", "world")

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name

    @property
    def kind(self) -> str:
        """``ball``, ``hinge``, ``slider`` ..."""
        return self.world._native.joint_kind(self.name)

    @property
    def state(self) -> Any:
        """Its record of :attr:`World.joints`."""
        self.world._native.joint_kind(self.name)  # says so if it is gone
        return self.world.joints[self.world.joint_names.index(self.name)]

    @property
    def position(self) -> float:
        """Its angle in rad, or travel in m."""
        return float(self.state["position"])

    @property
    def velocity(self) -> float:
        """The rate of its position."""
        return float(self.state["velocity"])

    @property
    def force(self) -> Floats:
        """Force of its constraint on b, in N, of the last step."""
        return np.array(self.state["force"])

    @property
    def torque(self) -> Floats:
        """Torque of its constraint on b, in N·m, of the last step."""
        return np.array(self.state["torque"])

    @property
    def motor_force(self) -> float:
        """What its motor did in the last step, in N or N·m."""
        return float(self.state["motor_force"])

    @property
    def target(self) -> float:
        """The target of its motor: velocity, position or force."""
        return self.world._native.target(self.name)

    @target.setter
    def target(self, value: float) -> None:
        self.world._native.set_target(self.name, float(value))

    def set_motor(self, motor: dict[str, Any] | None, *, of_angle: bool = False) -> None:
        """Another motor, in the words of scene files, or none:
        ``{"velocity": {"target": 1, "max_force": 50}}``, ``{"position": {"target": 0.5,
        "stiffness": 1e4, "damping": 100}}``, ``{"force": {"force": 10}}``. ``of_angle``: that of the
        angle of a cylindrical joint."""
        self.world._native.set_motor(self.name, motor, of_angle)

    def remove(self) -> None:
        """Takes it out of the world."""
        self.world._native.remove_joint(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joint) and (self.world, self.name) == (other.world, other.name)

    def __hash__(self) -> int:
        return hash((id(self.world), self.name))

    def __repr__(self) -> str:
        if not self.world._native.has_joint(self.name):
            return f"<taut.Joint '{self.name}': removed>"
        return f"<taut.Joint '{self.name}': {self.kind}>"
