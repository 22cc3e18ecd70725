"""An array job for Slurm: each task does its part of the runs, and notes them in the same folder."""

from __future__ import annotations

import shlex
import sys

from .._taut import Error

_SCRIPT = """\
#!/bin/bash
#SBATCH --job-name=taut-study
#SBATCH --array=0-{last}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --output={out}/slurm-%A_%a.log
# Submit it again to finish what was cut off: what is done is not done twice.
exec {python} -m taut.study {spec} --out {out} --executor serial --part "$SLURM_ARRAY_TASK_ID/{tasks}"
"""


def script(spec: str, out: str, tasks: int) -> str:
    """The text of the script.

    >>> from taut.study.slurm import script
    >>> "--array=0-3" in script("spec.toml", "results", 4)
    True
    """
    if tasks < 1:
        raise Error(f"tasks = {tasks} is out of range: at least 1")
    python = shlex.quote(sys.executable)
    quoted = {"spec": shlex.quote(spec), "out": shlex.quote(out)}
    return _SCRIPT.format(last=tasks - 1, tasks=tasks, python=python, **quoted)
