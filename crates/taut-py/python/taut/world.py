"""Worlds: bodies, joints, cables, contacts, and the time they have reached."""

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
from ._arrays import floats, number, quaternion, seconds, vector
from ._state import State
from ._taut import Error
from .body import Body
from .cable import Cable
from .joint import Joint
from .recording import Recording
from .records import STEP
from .report import Event, StepReport
from .result import count as how_many


class World(State):
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

    __slots__ = ("__weakref__",)

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
            scene["ground"] = {"height": 0.0 if ground is True else ground}
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
        if not isinstance(scene, (str, os.PathLike)):
            raise Error(f"scene: expected a name, a file or a dictionary, found {scene!r}")
        name = os.fspath(scene)
        if size is not None and number(size, "size") == 0:
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
        kg/m³ by default), ``kind`` ``dynamic``, ``kinematic`` or ``fixed``, ``inertia`` about its centre
        of mass in kg·m² (3,) or (3, 3) (else from the shape). ``more``: whatever else scene files know of bodies (``colliders``, ``centre_of_mass``, ``collision_groups`` ...)."""
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
                **_inertia(inertia),
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
        ``gear``, ``differential``, ``tendon``. Anchors and axes are in the frames of their bodies; those not
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

    def add_cable(
        self,
        via: Sequence[dict[str, Any]],
        *,
        name: str | None = None,
        length: float | None = None,
        closed: bool = False,
        stiffness: float | None = None,
        damping: float | None = None,
        break_tension: float | None = None,
        winch: dict[str, float] | None = None,
        **more: Any,
    ) -> Cable:
        """Strings a cable through stations (:mod:`taut.station`) as the bodies are now. ``length``: at
        rest, in m (default: just taut). ``closed``: a belt. ``stiffness``: EA in N (default: it does
        not stretch). ``winch``: what pays it out and takes it in.

        >>> import taut
        >>> from taut import station
        >>> world = taut.World()
        >>> load = world.add_body("load", shape=taut.shape.ball(0.1), position=(0, 0, -3), mass=10)
        >>> rope = world.add_cable([station.point("world", (0, 0, 0)), station.point(load)],
        ...                        winch={"speed": -0.5})
        >>> _ = world.step_many(60)
        >>> round(rope.tension, 6), round(float(load.position[2]), 6)
        (98.1, -2.5)
        """
        value = {
            "via": list(via),
            "name": name,
            "length": length,
            "closed": closed,
            "stiffness": stiffness,
            "damping": damping,
            "break_tension": break_tension,
            "winch": winch,
            **more,
        }
        return Cable(self, self._native.add_cable(value))

    def add_material(self, name: str, **properties: Any) -> None:
        """Names a surface: ``friction``, ``restitution``, ``torsional_friction``,
        ``rolling_friction``, ``anisotropy``. One named "default" is that of all who name none."""
        self._native.add_material(name, properties)

    def add_pair(self, a: str, b: str, **together: Any) -> None:
        """What two materials have together, in place of means and maxima of both, with the
        properties of :meth:`add_material`; directions of an anisotropy are those of bodies of ``a``."""
        self._native.add_pair({"materials": [a, b], "together": together})

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
    def cable_names(self) -> list[str]:
        """Names of the cables, in the order of :attr:`cables`."""
        return self._native.cable_names()

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

    def cable(self, name: str) -> Cable:
        """The cable of that name."""
        self._native.winch(name)
        return Cable(self, name)

    def __len__(self) -> int:
        return self._native.body_count()

    def __iter__(self) -> Iterator[Body]:
        return iter(self.bodies)

    def apply_forces(self, forces: Any, torques: Any = None) -> None:
        """Adds forces in N (n, 3), and torques in N·m, to all bodies for the next step."""
        turns = None if torques is None else floats(torques, "torques", 2)
        self._native.push_all(floats(forces, "forces", 2), turns)

    # Time.

    def step(self, dt: float | None = None) -> StepReport:
        """One step of ``dt`` seconds (default: the world's). Other threads of Python run on."""
        return StepReport(*self._native.step(seconds(dt)))

    def step_many(self, count: int, dt: float | None = None) -> NDArray[Any]:
        """Several steps; returns their figures, one record of :data:`taut.records.STEP` a step.
        Ctrl-C ends it after a step.

        >>> import taut
        >>> figures = taut.World.load("loaded-chain", size=10).step_many(5)
        >>> figures["unconverged_islands"].sum(), len(figures)
        (np.int64(0), 5)
        """
        rows = self._native.step_many(number(count, "count"), seconds(dt))[0]
        return rows.view(STEP)

    def record(self, count: int, dt: float | None = None, *, every: int = 1) -> Recording:
        """Several steps, of which every so-many-th is kept with all poses:

        >>> import taut
        >>> recording = taut.World.load("loaded-chain", size=10).record(60)
        >>> recording
        <taut.Recording 'loaded-chain': 61 frames, 11 bodies, 1 s>
        """
        count, every = number(count, "count"), number(every, "every")
        if every < 1:
            raise Error(f"every = {every} is out of range: at least 1")
        header, start, pull = self._native.record_header()
        begin = self.time
        rows, events, poses, figures, tensions = self._native.step_many(count, seconds(dt), every)
        steps = rows.view(STEP)
        times = np.concatenate([[begin], steps["time"][every - 1 :: every]])
        none = np.full((1, figures.shape[1]), np.nan, dtype=np.float32)
        return Recording(
            header,
            times,
            np.concatenate([start[None], poses]),
            np.concatenate([none, figures]),
            np.concatenate([pull[None], tensions.reshape(len(poses), len(pull))]),
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
        header, poses, pull = self._native.record_header()
        none = np.full((1, len(_taut.World.FIGURES)), np.nan, dtype=np.float32)
        now = Recording(
            header, np.array([self.time]), poses[None], none, pull[None], snapshot=self.snapshot()
        )
        with tempfile.NamedTemporaryFile(suffix=".taut", delete=False) as file:
            file.write(now.to_bytes())
        atexit.register(_remove, file.name)
        options = ["--port", str(port)] + ([] if open_browser else ["--no-open"])
        command = [sys.executable, "-m", "taut", "view", file.name, *options]
        return subprocess.Popen(command)

    def __repr__(self) -> str:
        name = f" '{self.name}'" if self.name else ""
        joints, cables = len(self.joint_names), len(self.cable_names)
        strung = f", {how_many(cables, 'cable')}" if cables else ""
        return (
            f"<taut.World{name}: {len(self)} bod{'y' if len(self) == 1 else 'ies'}, "
            f"{how_many(joints, 'joint')}{strung}, t = {self.time:.6g} s>"
        )


def _restore(description: str, snapshot: bytes, threads: int) -> World:
    return World._of(_taut.World.restore(description, snapshot, threads))


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.remove(path)


def _inertia(given: Any) -> dict[str, Any]:
    """Moments, or a matrix, in the words of scene files."""
    if given is None or np.ndim(given) != 2:
        return {"inertia": given}
    m = floats(given, "inertia", 2)
    if m.shape != (3, 3) or not np.array_equal(m, m.T):
        raise Error("inertia: expected three moments, or a symmetric matrix (3, 3)")
    products = [m[0, 1], m[1, 2], m[2, 0]]
    return {"inertia": np.diag(m), "inertia_products": products if any(products) else None}


def _name(body: Any) -> Any:
    return body.name if isinstance(body, (Body, Joint)) else body


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
