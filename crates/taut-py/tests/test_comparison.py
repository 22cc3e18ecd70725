"""docs/COMPARISON.md is what the results that were measured give."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


def compare() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "bench" / "compare.py"), run_name="compare")


def test_page_is_that_of_its_results() -> None:
    script = compare()
    page = (ROOT / "docs" / "COMPARISON.md").read_text()
    assert script["page"](script["kept"]()) == page, "python3 bench/compare.py --page writes it"


def test_every_engine_was_run_on_every_scene() -> None:
    script = compare()
    runs = script["kept"]()
    scenes = {scene for scene, _, _ in runs}
    assert len(scenes) >= 11
    for scene in scenes:
        for engine in script["ENGINES"]:
            of = [run for (name, who, _), run in runs.items() if (name, who) == (scene, engine)]
            assert of, f"{engine} was not run on {scene}"
            # What failed says why, in the engine's words.
            assert all(run.get("failed") or run["version"] for run in of), (scene, engine)
