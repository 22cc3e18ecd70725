"""Environments for learning (needs gymnasium): a gantry crane that must bring its load somewhere and
keep it still.

>>> import pytest; gymnasium = pytest.importorskip("gymnasium")
>>> from taut.gym import CraneEnv
>>> env = CraneEnv()
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step([0.5])
>>> observation.shape
(6,)
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from . import shape
from ._arrays import floats
from ._taut import Error
from .batches import batch
from .world import World

SPEED = 1.5
"""Largest speed of the trolley in m/s."""
REACH = 4.0
"""Targets lie within this distance of the start, in m."""
STEPS = 6
"""Steps of 1/60 s an action: ten actions a second."""
LIMIT = 150
"""Actions until an episode is cut off: 15 s."""

Floats32 = NDArray[np.float32]


def crane(mass: float = 500.0, links: int = 6, length: float = 5.0, force: float = 2e4) -> World:
    """A trolley on a rail at 10 m, a cable of rigid links (5 kg together) and a load of ``mass`` kg
    on it; the motor of the trolley has at most ``force`` N.

    >>> world = crane()
    >>> _ = world.step_many(10)
    >>> bool(abs(world.body("load").position[2] - 5.0) < 0.02)
    True
    """
    world = World(name="gantry-crane")
    trolley = world.add_body(
        "trolley", shape=shape.box(0.5, 0.3, 0.2), position=(0, 0, 10), mass=300, collides=False
    )
    world.add_joint(
        "slider", "world", trolley, name="rail", axis_a=(1, 0, 0),
        motor={"velocity": {"target": 0.0, "max_force": force}},
    )  # fmt: skip
    above, half = trolley, 0.5 * length / links
    for i in range(links):
        top = 10 - 2 * half * i
        link = world.add_body(
            f"link{i}", shape=shape.capsule(half, 0.02), position=(0, 0, top - half),
            mass=5.0 / links, collides=False,
        )  # fmt: skip
        world.add_joint("ball", above, link, anchor_b=(0, 0, half))
        above = link
    load = world.add_body(
        "load", shape=shape.box(0.4, 0.4, 0.4), position=(0, 0, 10 - length), mass=mass,
        collides=False,
    )  # fmt: skip
    world.add_joint("ball", above, load, name="hook", anchor_b=(0, 0, 0))
    return world


class _Episode:
    """One crane on its way to one target."""

    def __init__(self) -> None:
        self.world = crane()
        self.start = self.world.snapshot()
        self.joint = self.world.joint("rail")
        names = self.world.names
        self.trolley, self.load = names.index("trolley"), names.index("load")
        self.target = 0.0
        self.actions = 0

    def reset(self, rng: np.random.Generator) -> None:
        self.world.restore(self.start)
        self.target = float(rng.uniform(-REACH, REACH))
        self.actions = 0

    def act(self, action: float) -> None:
        self.joint.target = SPEED * float(np.clip(action, -1.0, 1.0))
        self.actions += 1

    def observe(self) -> Floats32:
        x, v = self.world.positions, self.world.velocities
        trolley, load = x[self.trolley], x[self.load]
        values = [
            self.target - load[0],
            load[0] - trolley[0],
            v[self.load, 0],
            v[self.trolley, 0],
            load[2] - 5.0,
            self.target,
        ]
        return np.array(values, dtype=np.float32)

    @staticmethod
    def judge(observation: Floats32) -> tuple[float, bool]:
        """The reward, and whether the load is there and still."""
        far, speed = abs(float(observation[0])), abs(float(observation[2]))
        there = far < 0.1 and speed < 0.05
        return -0.1 * far - 0.02 * speed + (10.0 if there else 0.0), there


def _spaces() -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    high = np.full(6, np.inf, dtype=np.float32)
    return (
        gymnasium.spaces.Box(-high, high, dtype=np.float32),
        gymnasium.spaces.Box(-1.0, 1.0, (1,), dtype=np.float32),
    )


class CraneEnv(gymnasium.Env[Floats32, Floats32]):
    """One crane. The action is the speed of the trolley as a share of 1.5 m/s; the observation is
    the way from load to target, the way from trolley to load, both velocities, how far the load is
    up, and the target. An episode ends when the load is within 0.1 m and slower than 0.05 m/s, or
    after 15 s."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self) -> None:
        self.observation_space, self.action_space = _spaces()
        self._episode = _Episode()

    @property
    def world(self) -> World:
        """The world of the crane."""
        return self._episode.world

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats32, dict[str, Any]]:
        super().reset(seed=seed)
        self._episode.reset(self.np_random)
        return self._episode.observe(), {}

    def step(self, action: Any) -> tuple[Floats32, float, bool, bool, dict[str, Any]]:
        self._episode.act(float(floats(action, "action", 1)[0]))
        self._episode.world.step_many(STEPS)
        observation = self._episode.observe()
        reward, there = self._episode.judge(observation)
        return observation, reward, there, self._episode.actions >= LIMIT, {}


class CraneVectorEnv(VectorEnv[Floats32, Floats32, Floats32]):
    """Many cranes, stepped at the same time by :func:`taut.batch`. An episode that ended begins
    anew with the next step, as gymnasium has it by default.

    >>> env = CraneVectorEnv(3)
    >>> _ = env.reset(seed=0)
    >>> env.step(env.action_space.sample())[0].shape
    (3, 6)
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int = 8, *, threads: int | None = None) -> None:
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = _spaces()
        many = gymnasium.vector.utils.batch_space
        self.observation_space = many(self.single_observation_space, num_envs)
        self.action_space = many(self.single_action_space, num_envs)
        self._episodes = [_Episode() for _ in range(num_envs)]
        self._over = np.zeros(num_envs, dtype=bool)
        self._threads = threads

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats32, dict[str, Any]]:
        super().reset(seed=seed if isinstance(seed, int) else None)
        for episode in self._episodes:
            episode.reset(self.np_random)
        self._over[:] = False
        return self._observe(), {}

    def _observe(self) -> Floats32:
        return np.stack([episode.observe() for episode in self._episodes])

    def step(
        self, actions: Any
    ) -> tuple[Floats32, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        given = floats(actions, "actions", 2)
        if given.shape != (self.num_envs, 1):
            raise Error(f"actions have the shape {given.shape}, expected ({self.num_envs}, 1)")
        for episode, action, over in zip(self._episodes, given, self._over):
            if over:
                episode.reset(self.np_random)
            else:
                episode.act(float(action[0]))
        moving = [e.world for e, over in zip(self._episodes, self._over) if not over]
        batch(moving, STEPS, threads=self._threads)
        observations = self._observe()
        judged = [_Episode.judge(o) for o in observations]
        rewards = np.array([reward for reward, _ in judged])
        terminated = np.array([there for _, there in judged])
        truncated = np.array([e.actions >= LIMIT for e in self._episodes])
        rewards[self._over] = 0.0
        terminated &= ~self._over
        self._over = terminated | truncated
        return observations, rewards, terminated, truncated, {}
