"""Studies: the same scene with many values of its parameters, on many cores or machines.

>>> import taut, tempfile
>>> folder = tempfile.TemporaryDirectory()
>>> result = taut.study(
...     "loaded-chain", size=5, seconds=0.1,
...     parameters={"bodies.load.mass": [100, 500]},
...     metrics={"height": {"body": "load", "quantity": "z", "reduce": "last"}},
...     out=folder.name, executor="serial", progress=False)
>>> result
<taut.Study: 2 runs, 0 failed>
>>> [row["status"] for row in result.rows]
['done', 'done']
>>> folder.cleanup()
"""

from __future__ import annotations

from typing import Any, Unpack

from .plan import Plan, need_parquet
from .results import Study
from .spec import Spec

__all__ = ["Plan", "Study", "study"]


def study(
    scene: Any,
    *,
    executor: str = "processes",
    workers: int | None = None,
    address: str | None = None,
    progress: bool = True,
    fresh: bool = False,
    **spec: Unpack[Spec],
) -> Study:
    """Runs a scene with many values of its parameters, and writes ``out/results.parquet``.

    ``scene``: a name, a file, the words of a scene file, a world, or a function of the parameters
    that returns a :class:`taut.World`. ``parameters``: by path (``"bodies.load.mass"``), each a list
    or a range (``{"low": 1, "high": 10, "log": True}``); ``method``: ``grid``, ``random`` or
    ``latin_hypercube`` with so many ``samples``. ``metrics``: by name, of a body (``x y z speed vx
    vy vz``), a joint (``position velocity motor_force force torque``), a cable (``tension length way
    slack stretch``) or a figure of the steps, with ``reduce`` (``last max min mean std range rms``); or a function of world and recording that
    returns numbers by name.

    ``executor``: ``processes`` (a script needs ``if __name__ == "__main__":`` around it), ``serial``,
    ``dask`` or ``ray`` (on the cluster at ``address``, on the one that is connected, or on a new one
    on this machine). A run that fails costs only itself. Called again with the same arguments, it
    does only what is not done yet; ``fresh`` forgets what is.
    """
    plan = Plan(scene, **spec)
    need_parquet()
    plan.run(executor, workers, address, progress=progress, fresh=fresh)
    return plan.collect()
