#!/usr/bin/env python3
"""taut's exact solvers against general QP solvers, on boxed problems.

    pip install piqp clarabel numpy scipy
    cargo build --release
    python3 bench/qp_solvers.py FOLDER [--solver bpp] [--rounds 6] [--repeats 6] [--taut COMMAND]

FOLDER holds one Matrix Market problem per sub-folder (A, b, lo, hi). In every
round all solvers in turn solve the same cold problem `repeats` times over, each
time with a new solver; the smallest CPU time of each counts, set-up and symbolic
analysis included, reading excluded. taut repeats in one process per round, the
others in this one. The column `new` is taut's first solve of a process, which
finds caches and memory cold; the least over the rounds. Residuals are natural
residuals divided by max|b|, computed here, independently of taut.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import clarabel
import numpy as np
import piqp
import scipy.io
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parent.parent


def read(folder):
    matrix = sp.csc_matrix(scipy.io.mmread(folder / "A.mtx"))
    b, lo, hi = (scipy.io.mmread(folder / f"{n}.mtx").ravel() for n in ("b", "lo", "hi"))
    return matrix, b, lo, hi


def residual(problem, x):
    """Relative natural residual of x, clipped into its bounds."""
    matrix, b, lo, hi = problem
    x = np.clip(x, lo, hi)
    w = matrix @ x + b
    diagonal = matrix.diagonal()
    a = np.where(diagonal > 0, diagonal, 1.0)
    below = np.abs(np.minimum(a * (x - lo), np.maximum(w, 0)))
    above = np.abs(np.minimum(a * (hi - x), np.maximum(-w, 0)))
    scale = np.abs(b).max()
    return np.maximum(below, above).max() / (scale if scale > 0 else 1.0)


def run_taut(taut, folder, solver, repeats):
    """CPU seconds: the least, and the first of the process; and the answer."""
    with tempfile.TemporaryDirectory() as out:
        x = Path(out) / "x.mtx"
        command = [taut, "solve", folder, "--solver", solver]
        command += ["--repeats", str(repeats), "--out", x, "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 2:
            sys.exit(done.stderr)
        answer = json.loads(done.stdout)
        return answer["solve_seconds"], answer["first_seconds"], scipy.io.mmread(x).ravel()


def least(run, problem, repeats):
    """The least of several CPU times, and the last answer."""
    runs = [run(problem) for _ in range(repeats)]
    return min(seconds for seconds, _ in runs), runs[-1][1]


def run_piqp(problem):
    matrix, b, lo, hi = problem
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = 1e-9
    solver.settings.eps_rel = 0.0
    solver.settings.check_duality_gap = False
    start = time.process_time()
    solver.setup(matrix, b, x_l=lo, x_u=hi)
    solver.solve()
    return time.process_time() - start, np.array(solver.result.x)


def run_clarabel(problem):
    matrix, b, lo, hi = problem
    n = len(b)
    finite_hi, finite_lo = np.isfinite(hi), np.isfinite(lo)
    eye = sp.identity(n, format="csr")
    rows = sp.vstack([eye[finite_hi], -eye[finite_lo]], format="csc")
    rhs = np.concatenate([hi[finite_hi], -lo[finite_lo]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
        setattr(settings, name, 1e-10)
    upper = sp.triu(matrix, format="csc")
    start = time.process_time()
    cones = [clarabel.NonnegativeConeT(len(rhs))]
    solution = clarabel.DefaultSolver(upper, b, rows, rhs, cones, settings).solve()
    return time.process_time() - start, np.array(solution.x)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--solver", default="bpp")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--taut", type=Path, default=ROOT / "target/release/taut")
    args = parser.parse_args()
    folders = sorted(p.parent for p in args.folder.glob("*/A.mtx"))
    if not folders:
        sys.exit(f"no problems below {args.folder}")
    names = (args.solver, "piqp", "clarabel")
    heads = "".join(f"{n:>10} ms {'residual':>9}" for n in names)
    print(f"{'problem':22}{heads}    new ms  taut/piqp  new/piqp")
    ratios = []
    for folder in folders:
        problem = read(folder)
        best, errors, new = [math.inf] * 3, [math.inf] * 3, math.inf
        for _ in range(args.rounds):
            seconds, first, x = run_taut(args.taut, folder, args.solver, args.repeats)
            new = min(new, first)
            answers = [(seconds, x)]
            answers += [least(run, problem, args.repeats) for run in (run_piqp, run_clarabel)]
            for k, (seconds, x) in enumerate(answers):
                best[k], errors[k] = min(best[k], seconds), residual(problem, x)
        ratios.append((best[0] / best[1], new / best[1]))
        cells = "".join(f"{1e3 * t:13.2f} {e:9.1e}" for t, e in zip(best, errors))
        warm, cold = ratios[-1]
        print(f"{folder.name:22}{cells} {1e3 * new:9.2f} {warm:10.2f} {cold:9.2f}", flush=True)
    for what, column in (("taut/piqp", 0), ("new/piqp", 1)):
        values = [r[column] for r in ratios]
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"geometric mean of {what}: {mean:.2f}, worst {max(values):.2f}")


if __name__ == "__main__":
    main()
