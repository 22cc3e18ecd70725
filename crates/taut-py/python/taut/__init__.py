"""Stiff multibody systems with frictional contact, solved exactly.

Solvers for complementarity problems, dense or sparse, symmetric or not:

>>> import numpy as np, taut
>>> A = np.array([[2.0, 1.0], [1.0, 2.0]])
>>> taut.solve(A, [-1.0, 1.0], lo=0.0).x
array([0.5, 0. ])

Worlds of bodies, joints and contacts:

>>> world = taut.World(ground=True)
>>> crate = world.add_body("crate", shape=taut.shape.box(0.5, 0.5, 0.5), position=(0, 0, 0.5), mass=2)
>>> report = world.step()
>>> bool(report.converged), round(float(world.contacts["normal_force"].sum()), 6)
(True, 19.62)

Units are SI, z is up, quaternions are (w, x, y, z).
"""

from . import law, shape, station
from ._taut import VERSION as __version__
from ._taut import Error, RefusedError, SceneError
from .batches import batch
from .body import Body
from .cable import Cable
from .joint import Joint
from .problem import Problem
from .qp import register_qpsolvers
from .recording import Recording
from .report import Event, StepReport
from .result import Result
from .solver import Solver, lcp, solve, solve_contact, solvers
from .study import Study, study
from .world import World, scenes

__all__ = [
    "Body",
    "Cable",
    "Error",
    "Event",
    "Joint",
    "Problem",
    "Recording",
    "RefusedError",
    "Result",
    "SceneError",
    "Solver",
    "StepReport",
    "Study",
    "World",
    "__version__",
    "batch",
    "law",
    "lcp",
    "register_qpsolvers",
    "scenes",
    "shape",
    "solve",
    "solve_contact",
    "solvers",
    "station",
    "study",
]
