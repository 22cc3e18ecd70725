"""``python -m taut.study SPEC.toml``: a study from a file."""

from __future__ import annotations

import argparse
import os
import sys

from .. import Error
from . import executors
from .plan import Plan, need_parquet
from .slurm import script
from .spec import read_spec


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done, 1 some runs failed, 2 wrong use."""
    parser = argparse.ArgumentParser(prog="python -m taut.study", description=__doc__)
    parser.add_argument("spec", help="what to run: a TOML file (docs/PYTHON.md)")
    parser.add_argument("--out", help="folder of the results [default: SPEC-results]")
    parser.add_argument("--executor", choices=executors.EXECUTORS)
    parser.add_argument("--workers", type=int, help="[default: all cores]")
    parser.add_argument("--address", help="of a Dask scheduler or Ray cluster")
    parser.add_argument("--fresh", action="store_true", help="forget what is done")
    parser.add_argument("--part", metavar="K/N", help="only the K-th of N parts (from 0)")
    parser.add_argument("--collect", action="store_true", help="only write results.parquet")
    parser.add_argument("--slurm", metavar="FILE", help="write an array job for Slurm, run nothing")
    parser.add_argument("--tasks", type=int, default=10, help="of the array job [default: 10]")
    args = parser.parse_args(arguments)
    try:
        spec, how = read_spec(args.spec)
        if args.out:
            spec["out"] = args.out
        plan = Plan(**spec)
        if args.slurm:
            with open(args.slurm, "w") as file:
                file.write(script(os.path.abspath(args.spec), plan.out, args.tasks))
            print(f"{args.slurm}: sbatch it; then: python -m taut.study {args.spec} --collect")
            return 0
        need_parquet()
        if not args.collect:
            plan.run(
                args.executor or how.get("executor", "processes"),
                args.workers or how.get("workers"),
                args.address or how.get("address"),
                part=_part(args.part),
                fresh=args.fresh,
            )
            if args.part:
                return 0
        study = plan.collect()
    except (Error, OSError) as e:
        print(f"error: {e}", file=sys.stderr)
        return 2
    missing = len(plan.points) - len(study)
    more = f", {missing} not done yet" if missing else ""
    print(f"{study.path}: {len(study)} runs, {len(study.failed)} failed{more}")
    return 1 if study.failed or missing else 0


def _part(text: str | None) -> tuple[int, int]:
    if text is None:
        return (0, 1)
    k, _, n = text.partition("/")
    if not (k.isdigit() and n.isdigit() and int(k) < int(n)):
        raise Error(f"--part {text}: expected K/N with K from 0 to N - 1")
    return (int(k), int(n))


if __name__ == "__main__":
    sys.exit(main())
