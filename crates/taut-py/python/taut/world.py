"""Worlds: bodies, joints, contacts, and the time they have reached."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _taut
from ._arrays import Floats, floats, quaternion, vector
from ._taut import Error
from .problem import Problem
from .recording import Recording

_VECTOR = ("f8", (3,))

CONTACT = np.dtype(
    [(name, "i8") for name in ("a", "b", "state")]
    + [(name, "f8") for name in ("gap", "normal_force", "friction_coefficient")]
    + [(name, *_VECTOR) for name in ("point", "normal", "friction", "torque", "slip")]
)
"""A contact point: ``a`` and ``b`` are places in the arrays of bodies (-1: the ground), ``state``
is 0 open, 1 sticking, 2 sliding. Forces act on b, in N; ``normal`` points from a to b."""

JOINT = np.dtype(
    [(name, "i8") for name in ("a", "b")]
    + [(name, "f8") for name in ("position", "velocity", "angle", "motor_force")]
    + [(name, *_VECTOR) for name in ("force", "torque", "anchor_a", "anchor_b")]
)
"""A joint: its coordinate (angle in rad, or travel in m) and rate, the force and torque of its
constraint on b, and that of its motor."""

HIT = np.dtype([("body", "i8"), ("distance", "f8"), ("point", *_VECTOR), ("normal", *_VECTOR)])
"""What a ray met: ``body`` is -2 where it met nothing (its distance is infinite then)."""

STEP = np.dtype(
    [(name, "f8") for name in _taut.World.STEP_FLOATS]
    + [(name, "i8") for name in _taut.World.STEP_COUNTS]
)
"""The figures of a step; see :class:`StepReport`."""


class Event(NamedTuple):
    """Something that happened in a step."""

    time: float
    kind: str
    """``contact_begin``, ``contact_end``, ``joint_broke`` or ``quarantined``."""
    name: str
    """The first body, or the joint."""
    other: str
    """The second body; for ``quarantined`` the reason."""
    force: float
    torque: float


class StepReport(NamedTuple):
    """What a step did. Energies in J, lengths in m, times in s."""

    time: float
    kinetic_energy: float
    potential_energy: float
    elastic_energy: float
    work: float
    """Work of motors, kinematic bodies and user forces."""
    energy_gain: float
    """Energy that the steps so far created, and should not have."""
    energy_taken: float
    energy_tolerance: float
    """Gain up to which the scheme counts as sound."""
    residual: float
    relative_residual: float
    energy_error: float
    friction_gap: float
    contact_compliance: float
    max_penetration: float
    mean_penetration: float
    max_joint_gap: float
    solve_seconds: float
    step_seconds: float
    parts: int
    islands: int
    swept_islands: int
    sleeping_islands: int
    held_bodies: int
    contacts: int
    rows: int
    iterations: int
    factorizations: int
    passes: int
    unconverged_islands: int
    torn: int
    """1 if joints opened even in the smallest part of the step."""
    event_count: int
    momentum: tuple[float, float, float]
    angular_momentum: tuple[float, float, float]
    status: str
    choice: str
    """What solved the largest island, and why that."""
    torn_joint: str | None
    refusals: list[str]
    """Why problems were refused, if any were."""
    raw_events: list[tuple[float, str, str, str, float, float]]

    @property
    def converged(self) -> bool:
        """Whether every island converged."""
        return self.unconverged_islands == 0

    @property
    def energy(self) -> float:
        """Kinetic, potential and elastic."""
        return self.kinetic_energy + self.potential_energy + self.elastic_energy

    @property
    def gained_energy(self) -> bool:
        """Whether the steps so far created energy beyond tolerance."""
        return self.energy_gain > self.energy_tolerance

    @property
    def events(self) -> list[Event]:
        """What happened, in a fixed order."""
        return [Event(*event) for event in self.raw_events]

    def __repr__(self) -> str:
        how = "converged" if self.converged else f"{self.unconverged_islands} islands unconverged"
        return (
            f"<taut.StepReport: t = {self.time:.6g} s, {how}, {self.rows} rows, "
            f"{self.contacts} contacts, {1e3 * self.step_seconds:.3g} ms>"
        )


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


class World:
    """Bodies, joints and contacts, and the time they have reached.

    >>> import taut
    >>> world = taut.World()
    >>> bob = world.add_body("bob", shape=taut.shape.ball(0.1), mass=5, position=(1, 0, 0))
    >>> pivot = world.add_joint("ball", "world", bob, anchor_a=(0, 0, 0))
    >>> figures = world.step_many(60)
    >>> round(world.time, 6), bool(bob.position[2] < 0)
    (1.0, True)
    >>> bool(figures["max_joint_gap"].max() < 1e-6)
    True

    ``ground``: a fixed plane at z = 0, or at the height given. ``settings``: those of scene files
    (``{"solver": "pgs", "friction": "cone", "substeps": 2}``). A world may be used from several
    threads (one waits for the other), copied, and pickled: the copy goes on with the same bits.
    """

    __slots__ = ("__weakref__", "_native")
    _native: _taut.World

    def __init__(
        self,
        *,
        gravity: Any = (0.0, 0.0, -9.81),
        dt: float = 1 / 60,
        ground: bool | float = False,
        settings: dict[str, Any] | None = None,
        threads: int = 1,
        name: str | None = None,
    ) -> None:
        scene: dict[str, Any] = {"version": 1, "dt": dt, "name": name, "settings": settings}
        scene["gravity"] = vector(gravity, "gravity")
        if ground is not False:
            scene["ground"] = {"height": 0.0 if ground is True else float(ground)}
        self._native = _taut.World.from_value(scene)
        self.threads = threads

    @classmethod
    def _of(cls, native: _taut.World) -> World:
        world = cls.__new__(cls)
        world._native = native
        return world

    @classmethod
    def load(cls, scene: str | os.PathLike[str] | dict[str, Any], size: int | None = None) -> World:
        """A scene file (.json), a built-in scene (:func:`scenes`; of a size), a recording (its
        world at the end), or the words of a scene file as a dictionary.

        >>> import taut
        >>> taut.World.load("loaded-chain", size=10)
        <taut.World 'loaded-chain': 11 bodies, 11 joints, t = 0 s>
        """
        if isinstance(scene, dict):
            return cls._of(_taut.World.from_value(scene))
        name = os.fspath(scene)
        if size is not None and not 0 < size < 2**63:
            raise Error(f"size = {size} is out of range: at least 1")
        if name.lower().endswith(".json"):
            if size is not None:
                raise Error("a size is for built-in scenes, not for files")
            return cls._of(_taut.World.read(name))
        if os.path.isfile(name):
            return Recording.load(name).world()
        return cls._of(_taut.World.builtin(name, size))

    @classmethod
    def from_json(cls, text: str) -> World:
        """A world from the text of a scene file."""
        return cls._of(_taut.World.from_json(text))

    def to_json(self) -> str:
        """The scene as it was put together, as the text of a scene file: the start, not the
        present. :meth:`snapshot` has the present."""
        return self._native.to_json()

    # Building.

    def add_body(
        self,
        name: str,
        *,
        shape: dict[str, Any] | None = None,
        position: Any = (0.0, 0.0, 0.0),
        orientation: Any = (1.0, 0.0, 0.0, 0.0),
        mass: float | None = None,
        kind: str = "dynamic",
        velocity: Any = (0.0, 0.0, 0.0),
        angular_velocity: Any = (0.0, 0.0, 0.0),
        material: str | None = None,
        density: float | None = None,
        inertia: Any = None,
        **more: Any,
    ) -> Body:
        """Adds a body: shape (:mod:`taut.shape`), place, mass in kg (else from the density, 1000
        kg/m³ by default), ``kind`` ``dynamic``, ``kinematic`` or ``fixed``. ``more``: whatever else
        scene files know of bodies (``colliders``, ``centre_of_mass``, ``collision_groups`` ...)."""
        self._native.add_body(
            {
                "name": name,
                "shape": shape,
                "position": vector(position, "position"),
                "orientation": quaternion(orientation, "orientation"),
                "mass": mass,
                "kind": kind,
                "velocity": vector(velocity, "velocity"),
                "angular_velocity": vector(angular_velocity, "angular_velocity"),
                "material": material,
                "density": density,
                "inertia": inertia,
                **more,
            }
        )
        return Body(self, name)

    def add_joint(
        self,
        kind: str,
        a: Body | str | None = None,
        b: Body | str | None = None,
        *,
        name: str | None = None,
        anchor_a: Any = None,
        anchor_b: Any = None,
        axis_a: Any = None,
        axis_b: Any = None,
        **more: Any,
    ) -> Joint:
        """Adds a joint between two bodies (``"world"`` is the world) as they are now: ``ball``,
        ``hinge``, ``slider``, ``cylindrical``, ``universal``, ``weld``, ``distance``, ``compliant``,
        ``gear``, ``differential``. Anchors and axes are in the frames of their bodies; those not
        given follow from the poses. ``more``: ``limits``, ``motor``, ``length``, ``break_force`` ...,
        as in scene files.

        >>> import taut
        >>> world = taut.World()
        >>> door = world.add_body("door", shape=taut.shape.box(0.5, 0.05, 1), position=(0.5, 0, 1))
        >>> hinge = world.add_joint("hinge", "world", door, anchor_a=(0, 0, 1), axis_a=(0, 0, 1),
        ...                         motor={"velocity": {"target": 1.0, "max_force": 1e5}})
        >>> _ = world.step_many(30)
        >>> round(hinge.position, 3)
        0.5
        """
        value = {
            "type": kind,
            "a": _name(a),
            "b": _name(b),
            "name": name,
            "anchor_a": anchor_a,
            "anchor_b": anchor_b,
            "axis_a": axis_a,
            "axis_b": axis_b,
            **{key: _name(x) for key, x in more.items()},
        }
        return Joint(self, self._native.add_joint(value))

    def add_material(self, name: str, **properties: Any) -> None:
        """Names a surface: ``friction``, ``restitution``, ``torsional_friction``,
        ``rolling_friction``, ``anisotropy``. One named "default" is that of all who name none."""
        self._native.add_material(name, properties)

    def add_drive(self, drive: dict[str, Any]) -> None:
        """Something that changes while time passes, in the words of scene files:
        ``{"motor": {"joint": "hoist", "keys": [[0, 0], [2, 1.5]]}}``."""
        self._native.add_drive(drive)

    def set_collides(self, a: Body | str, b: Body | str, collides: bool) -> None:
        """Whether two bodies collide with one another."""
        self._native.set_collides(str(_name(a)), str(_name(b)), collides)

    def configure(self, **settings: Any) -> None:
        """Changes how it is stepped: ``solver``, ``tolerance``, ``friction``, ``substeps``,
        ``accuracy`` ... as in scene files. What is not named stays.

        >>> import taut
        >>> world = taut.World(settings={"substeps": 2})
        >>> world.configure(friction="cone")
        >>> world.settings
        {'substeps': 2, 'friction': 'cone'}
        """
        self._native.configure({**self.settings, **settings})

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that were given; all others have their defaults."""
        given: dict[str, Any] = json.loads(self._native.settings())
        return given

    # What there is.

    @property
    def name(self) -> str:
        """The name of the scene."""
        return self._native.name

    @property
    def bodies(self) -> list[Body]:
        """All bodies but the ground, in the order of all arrays."""
        return [Body(self, name) for name in self.names]

    @property
    def names(self) -> list[str]:
        """Their names."""
        return self._native.names()

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, in the order of :attr:`joints`."""
        return self._native.joint_names()

    @property
    def groups(self) -> dict[str, list[str]]:
        """Named lists of bodies."""
        return self._native.groups()

    def body(self, name: str) -> Body:
        """The body of that name.

        >>> import taut
        >>> taut.World(ground=True).body("ground").kind
        'fixed'
        """
        self._native.body_info(name)
        return Body(self, name)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        self._native.joint_kind(name)
        return Joint(self, name)

    def __len__(self) -> int:
        return self._native.body_count()

    def __iter__(self) -> Iterator[Body]:
        return iter(self.bodies)

    # State of all bodies at once.

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
        self._native.set_dt(float(value))

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
        see :data:`taut.world.CONTACT`."""
        return self._native.contacts().view(CONTACT)

    @property
    def joints(self) -> NDArray[Any]:
        """Coordinates, forces and anchors of all joints, as a structured array: see
        :data:`taut.world.JOINT`."""
        return self._native.joints().view(JOINT)

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

    def apply_forces(self, forces: Any, torques: Any = None) -> None:
        """Adds forces in N (n, 3), and torques in N·m, to all bodies for the next step."""
        turns = None if torques is None else floats(torques, "torques", 2)
        self._native.push_all(floats(forces, "forces", 2), turns)

    # Questions.

    def ray_cast(
        self, origins: Any, directions: Any, max_distance: float = 1e6, mask: int = 0xFFFFFFFF
    ) -> Any:
        """What rays meet first: origins and directions (3,) or (k, 3). One record, or an array of
        them, see :data:`taut.world.HIT`. ``mask``: groups that are seen.

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
        """What a shape meets first on a straight way; a record of :data:`taut.world.HIT`."""
        q = quaternion(orientation, "orientation")
        x, d = vector(position, "position"), vector(direction, "direction")
        return self._native.shape_cast(shape, x, q, d, float(max_distance)).view(HIT)[0]

    def overlaps(
        self, shape: dict[str, Any], position: Any, orientation: Any = (1, 0, 0, 0)
    ) -> list[str]:
        """Names of the bodies that overlap a shape."""
        q = quaternion(orientation, "orientation")
        return self._native.overlaps(shape, vector(position, "position"), q)

    # Time.

    def step(self, dt: float | None = None) -> StepReport:
        """One step of ``dt`` seconds (default: the world's). Other threads of Python run on."""
        return StepReport(*self._native.step(None if dt is None else float(dt)))

    def step_many(self, count: int, dt: float | None = None) -> NDArray[Any]:
        """Several steps; returns their figures, one record of :data:`taut.world.STEP` a step.
        Ctrl-C ends it after a step.

        >>> import taut
        >>> figures = taut.World.load("loaded-chain", size=10).step_many(5)
        >>> figures["unconverged_islands"].sum(), len(figures)
        (np.int64(0), 5)
        """
        rows, _, _, _ = self._native.step_many(_number(count), dt)
        return rows.view(STEP)

    def record(self, count: int, dt: float | None = None, *, every: int = 1) -> Recording:
        """Several steps, of which every so-many-th is kept with all poses:

        >>> import taut
        >>> recording = taut.World.load("loaded-chain", size=10).record(60)
        >>> recording
        <taut.Recording 'loaded-chain': 61 frames, 11 bodies, 1 s>
        """
        count, every = _number(count), _number(every)
        if every < 1:
            raise Error(f"every = {every} is out of range: at least 1")
        header, start = self._native.record_header()
        begin = self.time
        rows, events, poses, figures = self._native.step_many(count, dt, every)
        steps = rows.view(STEP)
        times = np.concatenate([[begin], steps["time"][every - 1 :: every]])
        none = np.full((1, figures.shape[1]), np.nan, dtype=np.float32)
        return Recording(
            header,
            times,
            np.concatenate([start[None], poses]),
            np.concatenate([none, figures]),
            steps,
            [Event(*event) for event in events],
            self.snapshot(),
        )

    # State as a whole.

    def snapshot(self) -> bytes:
        """The whole state, bit for bit: bytes for :meth:`restore`, in this process or another."""
        return self._native.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Back to a snapshot of this world (or of a copy). Unchanged if it is none.

        >>> import taut
        >>> world = taut.World.load("loaded-chain", size=5)
        >>> before = world.snapshot()
        >>> _ = world.step_many(10)
        >>> world.restore(before)
        >>> world.time
        0.0
        """
        self._native.load(snapshot)

    def copy(self) -> World:
        """A world of its own in the same state."""
        return World._of(self._native.copy())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> World:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self._native.description(), self.snapshot(), self.threads))

    def view(self, *, port: int = 0, open_browser: bool = True) -> subprocess.Popen[bytes]:
        """Opens the web viewer on the world as it is now: it runs on in there, and can be pulled
        at; this world stays as it is. Returns the process of the viewer; ``terminate()`` ends it."""
        header, poses = self._native.record_header()
        none = np.full((1, len(_taut.World.FIGURES)), np.nan, dtype=np.float32)
        now = Recording(header, np.array([self.time]), poses[None], none, snapshot=self.snapshot())
        with tempfile.NamedTemporaryFile(suffix=".taut", delete=False) as file:
            file.write(now.to_bytes())
        atexit.register(_remove, file.name)
        options = ["--port", str(port)] + ([] if open_browser else ["--no-open"])
        command = [sys.executable, "-m", "taut", "view", file.name, *options]
        return subprocess.Popen(command)

    def __repr__(self) -> str:
        name = f" '{self.name}'" if self.name else ""
        joints = len(self._native.joint_names())
        return (
            f"<taut.World{name}: {len(self)} bod{'y' if len(self) == 1 else 'ies'}, "
            f"{joints} joint{'' if joints == 1 else 's'}, t = {self.time:.6g} s>"
        )


def _restore(description: str, snapshot: bytes, threads: int) -> World:
    return World._of(_taut.World.restore(description, snapshot, threads))


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.remove(path)


def _name(body: Any) -> Any:
    return body.name if isinstance(body, (Body, Joint)) else body


def _number(count: int) -> int:
    whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
    if not whole or not 0 <= count < 2**63:
        raise Error(f"expected a number of steps, found {count!r}")
    return int(count)


class SceneInfo(NamedTuple):
    """What the list of built-in scenes says of one."""

    name: str
    summary: str
    size_of: str
    default_size: int


def scenes() -> list[SceneInfo]:
    """The built-in scenes, for :meth:`World.load`.

    >>> import taut
    >>> "mobile-crane" in [scene.name for scene in taut.scenes()]
    True
    """
    return [SceneInfo(*entry) for entry in _taut.scenes()]


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
    if threads is None:
        threads = _cores()
    if threads < 1:
        raise Error(f"threads = {threads} is out of range: at least 1")
    natives = [world._native for world in worlds]
    results = _taut.run_batch(natives, _number(steps), int(threads), dt)
    return [rows.view(STEP) for rows, _, _, _ in results]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
