"""Contact forces in an arch of loose stones: the line of thrust, from Coulomb's law alone.

python arch.py [STONES]
"""

from __future__ import annotations

import math
import sys

import numpy as np

import taut


def arch(stones: int = 9, inner: float = 1.0, outer: float = 1.3, depth: float = 0.3) -> taut.World:
    """A half circle of wedges on two fixed blocks."""
    world = taut.World(ground=True, settings={"friction": "cone"})
    world.add_material("stone", friction=0.7)
    for i in range(stones):
        angles = (math.pi * i / stones, math.pi * (i + 1) / stones)
        points = [
            (r * math.cos(a), y, r * math.sin(a))
            for a in angles
            for r in (inner, outer)
            for y in (-depth / 2, depth / 2)
        ]
        world.add_body(
            f"stone{i}", shape=taut.shape.convex_hull(points), density=2400, material="stone"
        )
    return world


def main() -> None:
    """Prints the force at every joint of the arch, and where it acts."""
    stones = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    world = arch(stones)
    figures = world.step_many(60)
    contacts = world.contacts
    names = world.names
    print(f"{world}: largest residual {figures['relative_residual'].max():.1e}")
    pairs = sorted({(int(c["a"]), int(c["b"])) for c in contacts if c["normal_force"] > 0})
    for a, b in pairs:
        own = contacts[(contacts["a"] == a) & (contacts["b"] == b)]
        normal = own["normal_force"]
        force = (own["normal"] * normal[:, None] + own["friction"]).sum(axis=0)
        place = (own["point"] * normal[:, None]).sum(axis=0) / normal.sum()
        share = np.linalg.norm(own["friction"].sum(axis=0)) / normal.sum()
        first, second = ("ground" if k < 0 else names[k] for k in (a, b))
        print(
            f"{first:8} on {second:8} {np.linalg.norm(force):8.1f} N at radius "
            f"{math.hypot(place[0], place[2]):.3f} m, friction {share:.2f} of the normal force"
        )


if __name__ == "__main__":
    main()
