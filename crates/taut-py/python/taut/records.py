"""Records of structured arrays: contacts, joints, cables, rays, steps."""

from __future__ import annotations

import numpy as np

from . import _taut

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

CABLE = np.dtype(
    [(name, "i8") for name in ("spans", "taut")]
    + [(name, "f8") for name in ("tension", "length", "way", "slack", "stretch", "winch_speed")]
)
"""A cable: how many spans it has, whether it pulled in the last step (1), its largest tension in N,
its rest length and the length of its way in m, how much the first is longer (``slack``) or shorter
(``stretch``), and the speed of its winch in m/s (NaN: it has none)."""

HIT = np.dtype([("body", "i8"), ("distance", "f8"), ("point", *_VECTOR), ("normal", *_VECTOR)])
"""What a ray met: ``body`` is -2 where it met nothing (its distance is infinite then)."""

STEP = np.dtype(
    [(name, "f8") for name in _taut.World.STEP_FLOATS]
    + [(name, "i8") for name in _taut.World.STEP_COUNTS]
)
"""The figures of a step; see :class:`StepReport`."""
