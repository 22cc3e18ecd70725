"""Shapes of bodies, in the words of scene files. Lengths in m.

>>> from taut import shape
>>> shape.ball(0.1)
{'ball': {'radius': 0.1}}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._arrays import floats, quaternion, vector

Shape = dict[str, Any]


def ball(radius: float) -> Shape:
    """A ball around the origin."""
    return {"ball": {"radius": radius}}


def box(x: float, y: float, z: float) -> Shape:
    """A box around the origin; x, y, z are *half* its edge lengths."""
    return {"box": {"half_extents": [x, y, z]}}


def capsule(half_length: float, radius: float) -> Shape:
    """All points within ``radius`` of a segment on the z axis."""
    return {"capsule": {"half_length": half_length, "radius": radius}}


def cylinder(half_height: float, radius: float) -> Shape:
    """A cylinder around the z axis."""
    return {"cylinder": {"half_height": half_height, "radius": radius}}


def cone(half_height: float, radius: float) -> Shape:
    """A cone around the z axis, apex at +z, origin at half height."""
    return {"cone": {"half_height": half_height, "radius": radius}}


def convex_hull(points: Any) -> Shape:
    """The convex hull of points (k, 3)."""
    return {"convex_hull": {"points": floats(points, "points", 2).tolist()}}


def half_space(normal: Any = (0, 0, 1)) -> Shape:
    """All points on one side of a plane through the origin. For fixed bodies."""
    return {"half_space": {"normal": vector(normal, "normal")}}


def mesh(vertices: Any, triangles: Any) -> Shape:
    """A triangle mesh: vertices (k, 3), indices (t, 3), counter-clockwise from outside."""
    indices = [[int(i) for i in t] for t in triangles]
    return {
        "tri_mesh": {"vertices": floats(vertices, "vertices", 2).tolist(), "triangles": indices}
    }


def sdf(vertices: Any, triangles: Any) -> Shape:
    """A solid that need not be convex, by its closed surface: vertices (k, 3), indices (t, 3),
    counter-clockwise from outside."""
    return {"sdf": mesh(vertices, triangles)["tri_mesh"]}


def height_field(heights: Any, size_x: float, size_y: float) -> Shape:
    """Terrain: heights (ny, nx) over a rectangle centred at the origin, solid below."""
    z = floats(heights, "heights", 2)
    ny, nx = z.shape
    size = {"size_x": size_x, "size_y": size_y}
    return {"height_field": {"heights": z.ravel().tolist(), "nx": nx, "ny": ny, **size}}


def compound(parts: Sequence[tuple[Shape, Any] | tuple[Shape, Any, Any]]) -> Shape:
    """Convex shapes fixed to one another: (shape, position) or (shape, position, orientation).

    >>> from taut import shape
    >>> hammer = shape.compound([(shape.box(0.1, 0.03, 0.03), (0, 0, 0.3)),
    ...                          (shape.cylinder(0.3, 0.02), (0, 0, 0))])
    """
    all_parts = []
    for shape, position, *turn in parts:
        part = {"shape": shape, "position": vector(position, "position")}
        if turn:
            part["orientation"] = quaternion(turn[0], "orientation")
        all_parts.append(part)
    return {"compound": {"parts": all_parts}}
