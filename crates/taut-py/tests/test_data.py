"""Problems of others, in the folder that the variable TAUT_DATA names: ``blcp`` with boxed ones
(Matrix Market), ``lcp`` with textbook ones (text). Skipped without it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import mmread

import taut

DATA = Path(os.environ.get("TAUT_DATA", "/nowhere"))
BOXED = sorted(DATA.glob("blcp/*"))
TEXTBOOK = sorted(DATA.glob("lcp/*.dat"))
needs_data = pytest.mark.skipif(not BOXED, reason="needs problems of others: TAUT_DATA")


@needs_data
@pytest.mark.parametrize("folder", BOXED, ids=lambda f: f.name)
def test_boxed_problems_have_the_bits_of_the_command(folder: Path, tmp_path: Path) -> None:
    A = mmread(folder / "A.mtx")
    b, lo, hi = (np.asarray(mmread(folder / f"{n}.mtx")).ravel() for n in ("b", "lo", "hi"))
    command = [sys.executable, "-m", "taut", "solve", str(folder), "--out", str(tmp_path / "x.mtx")]
    assert subprocess.run(command, capture_output=True).returncode == 0
    expected = np.asarray(mmread(tmp_path / "x.mtx")).ravel()
    long = A.tocsc()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    for form in (A.tocsr(), long):
        r = taut.solve(form, b, lo, hi)
        assert r.success and np.array_equal(r.x, expected)


def textbook(path: Path) -> tuple[Any, Any]:
    """n, whether M is in blocks, M, q; remarks after them are no numbers."""
    values = []
    for word in path.read_text().split():
        try:
            values.append(float(word))
        except ValueError:
            break
    n = int(values[0])
    take = iter(values[1:])

    def some(count: float) -> list[float]:
        return [next(take) for _ in range(int(count))]

    if next(take) == 0:
        some(4)
        M = np.array(some(n * n)).reshape(n, n)
    else:
        # Sizes of the matrix; numbers of blocks, of rows and columns of them; where these end;
        # lengths of two lists of indices; rows of blocks, and their columns; blocks by columns.
        some(2)
        blocks, down, across = some(3)
        ends, sides = [0, *map(int, some(down))], [0, *map(int, some(across))]
        first, second = some(2)
        starts, places = list(map(int, some(first))), list(map(int, some(second)))
        M = np.zeros((n, n))
        for i in range(int(down)):
            for k in range(starts[i], starts[i + 1]):
                j = places[k]
                some(1)
                high, wide = ends[i + 1] - ends[i], sides[j + 1] - sides[j]
                block = np.array(some(high * wide)).reshape(wide, high).T
                M[ends[i] : ends[i + 1], sides[j] : sides[j + 1]] = block
        assert blocks == len(places)
    return M, np.array(some(n))


@needs_data
@pytest.mark.parametrize("path", TEXTBOOK, ids=lambda f: f.stem)
def test_textbook_problems_are_solved_or_honestly_refused(path: Path) -> None:
    M, q = textbook(path)
    monotone = np.linalg.eigvalsh(M + M.T).min() > -1e-9 * np.abs(M).max()
    for form in (M, sp.csr_array(M)):
        for solver in ("auto", "lemke", "lcp_ipm", "fischer_newton", "min_map_newton"):
            r = taut.lcp(form, q, solver=solver)
            w = M @ r.x + q
            error = np.abs(np.minimum(r.x, w)).max() / max(np.abs(q).max(), 1e-300)
            assert (error < 1e-8) == r.success, f"{solver} says {r.status}, error {error:.1e}"
            if r.status == "Infeasible":
                y = r.certificate  # y >= 0, Mᵀy <= 0, q·y < 0: no x >= 0 has M x + q >= 0
                assert y.min() >= 0 and (M.T @ y).max() <= 1e-9 * np.abs(y).max() and q @ y < 0
            elif monotone and solver in ("auto", "lemke"):
                assert r.success, f"{solver}: {r}"
