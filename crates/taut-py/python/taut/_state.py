"""The state of a world: all bodies at once, contacts, joints, cables, and questions to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _taut
from ._arrays import Floats, floats, quaternion, seconds, vector
from ._taut import Error
from .problem import Problem
from .records import CABLE, CONTACT, HIT, JOINT


class State:
    """What of a world can be read, and written, at any time."""

    __slots__ = ("_native",)
    _native: _taut.World

    @property
    def time(self) -> float:
        """Time reached in s."""
        return self._native.time

    @property
    def dt(self) -> float:
        """Time step in s."""
        return self._native.dt

    @dt.setter
    def dt(self, value: float) -> None:
        step = seconds(value)
        if step is None:
            raise Error("dt: expected a number, found None")
        self._native.set_dt(step)

    @property
    def frames(self) -> int:
        """Steps that the scene runs unless told otherwise."""
        return self._native.frames

    @property
    def threads(self) -> int:
        """Threads for islands; results do not depend on it."""
        return self._native.threads

    @threads.setter
    def threads(self, value: int) -> None:
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
            raise Error(f"threads = {value} is out of range: at least 1")
        self._native.set_threads(int(value))

    @property
    def gravity(self) -> Floats:
        """In m/s²."""
        return np.array(self._native.gravity)

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._native.set_gravity(vector(value, "gravity"))

    @property
    def energy(self) -> float:
        """Kinetic, potential and elastic energy in J."""
        return self._native.energy

    @property
    def positions(self) -> Floats:
        """Positions of all bodies (n, 3), a copy. Assign an array to move them:

        >>> import taut
        >>> world = taut.World()
        >>> ball = world.add_body("ball", shape=taut.shape.ball(0.1))
        >>> world.positions = world.positions + [0, 0, 2]
        >>> ball.position
        array([0., 0., 2.])
        """
        return self._native.get("positions")

    @positions.setter
    def positions(self, value: Any) -> None:
        self._native.set("positions", floats(value, "positions", 2))

    @property
    def orientations(self) -> Floats:
        """Quaternions (w, x, y, z) of all bodies (n, 4)."""
        return self._native.get("orientations")

    @orientations.setter
    def orientations(self, value: Any) -> None:
        self._native.set("orientations", floats(value, "orientations", 2))

    @property
    def velocities(self) -> Floats:
        """Velocities of the centres of mass (n, 3) in m/s."""
        return self._native.get("velocities")

    @velocities.setter
    def velocities(self, value: Any) -> None:
        self._native.set("velocities", floats(value, "velocities", 2))

    @property
    def angular_velocities(self) -> Floats:
        """In world coordinates (n, 3), in rad/s."""
        return self._native.get("angular_velocities")

    @angular_velocities.setter
    def angular_velocities(self, value: Any) -> None:
        self._native.set("angular_velocities", floats(value, "angular_velocities", 2))

    @property
    def centres_of_mass(self) -> Floats:
        """In world coordinates (n, 3), in m."""
        return self._native.get("centres_of_mass")

    @property
    def masses(self) -> Floats:
        """In kg (n,)."""
        return self._native.get("masses")[:, 0]

    @property
    def contacts(self) -> NDArray[Any]:
        """Contact points of the last step, open ones included, as a structured array:
        see :data:`taut.records.CONTACT`."""
        return self._native.contacts().view(CONTACT)

    @property
    def joints(self) -> NDArray[Any]:
        """Coordinates, forces and anchors of all joints, as a structured array: see
        :data:`taut.records.JOINT`."""
        return self._native.joints().view(JOINT)

    @property
    def cables(self) -> NDArray[Any]:
        """Tensions and lengths of all cables, as a structured array: see
        :data:`taut.records.CABLE`."""
        return self._native.cables().view(CABLE)

    @property
    def islands(self) -> NDArray[np.int64]:
        """The island of each body in the last step; bodies of equal number were solved together,
        -1: none."""
        return self._native.islands()

    @property
    def warnings(self) -> list[str]:
        """What is odd about the poses: bodies inside one another, open joints."""
        return self._native.warnings()

    @property
    def problem(self) -> Problem:
        """The complementarity problem behind the last step, for those who work on solvers."""
        return Problem._of(self._native.problem())

    # Questions.

    def ray_cast(
        self, origins: Any, directions: Any, max_distance: float = 1e6, mask: int = 0xFFFFFFFF
    ) -> Any:
        """What rays meet first: origins and directions (3,) or (k, 3). One record, or an array of
        them, see :data:`taut.records.HIT`. ``mask``: groups that are seen.

        >>> import taut
        >>> hit = taut.World(ground=True).ray_cast((0, 0, 2), (0, 0, -1))
        >>> float(hit["distance"]), int(hit["body"])
        (2.0, -1)
        """
        o, d = np.asarray(origins), np.asarray(directions)
        single = o.ndim == 1 and d.ndim == 1
        shape = np.broadcast_shapes(np.atleast_2d(o).shape, np.atleast_2d(d).shape)
        if len(shape) != 2 or shape[1] != 3:
            raise Error(f"rays have the shape {shape}, expected (3,) or (k, 3)")
        origin = floats(np.broadcast_to(o, shape), "origins", 2)
        direction = floats(np.broadcast_to(d, shape), "directions", 2)
        hits = self._native.ray_cast(origin, direction, float(max_distance), int(mask)).view(HIT)
        return hits[0] if single else hits

    def shape_cast(
        self,
        shape: dict[str, Any],
        position: Any,
        direction: Any,
        max_distance: float = 1e6,
        orientation: Any = (1, 0, 0, 0),
    ) -> Any:
        """What a shape meets first on a straight way; a record of :data:`taut.records.HIT`."""
        q = quaternion(orientation, "orientation")
        x, d = vector(position, "position"), vector(direction, "direction")
        return self._native.shape_cast(shape, x, q, d, float(max_distance)).view(HIT)[0]

    def overlaps(
        self, shape: dict[str, Any], position: Any, orientation: Any = (1, 0, 0, 0)
    ) -> list[str]:
        """Names of the bodies that overlap a shape."""
        q = quaternion(orientation, "orientation")
        return self._native.overlaps(shape, vector(position, "position"), q)
