"""Learns to position the load of a crane: a linear policy, improved by the cross-entropy method on
vectorized environments. Takes about a minute.

python crane_learning.py [ROUNDS]
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from taut.gym import LIMIT, CraneVectorEnv

Floats = NDArray[np.float64]


def returns(env: CraneVectorEnv, gains: Floats, seed: int) -> tuple[Floats, Floats]:
    """The return of one episode for each row of gains, and whether the load got there. The action
    is gains · (way to target, way from trolley to load, their velocities)."""
    observation, _ = env.reset(seed=seed)
    total, there = np.zeros(len(gains)), np.zeros(len(gains), dtype=bool)
    running = np.ones(len(gains), dtype=bool)
    for _ in range(LIMIT):
        actions = np.clip((observation[:, :4] * gains).sum(axis=1, keepdims=True), -1, 1)
        observation, rewards, terminated, truncated, _ = env.step(actions)
        total[running] += rewards[running]
        there |= terminated & running
        running &= ~(terminated | truncated)
        if not running.any():
            break
    return total, there


def main() -> None:
    """Prints how the best third of each round does."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    count = 24
    rng = np.random.default_rng(0)
    env = CraneVectorEnv(count)
    mean, spread = np.zeros(4), np.full(4, 1.0)
    for k in range(rounds):
        gains = mean + spread * rng.normal(size=(count, 4))
        total, there = returns(env, gains, seed=k)
        elite = gains[np.argsort(total)[-count // 3 :]]
        mean, spread = elite.mean(axis=0), elite.std(axis=0) + 0.05
        print(
            f"round {k}: mean return {total.mean():7.2f}, best {total.max():6.2f}, "
            f"{there.sum()} of {count} loads got there"
        )
    print("gains:", np.round(mean, 2))


if __name__ == "__main__":
    main()
