"""What the documentation says runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import taut
from taut.study import Plan
from taut.study.spec import read_spec

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", ["README.md", "docs/PYTHON.md", "book/src/start.md", "book/src/guides/robot.md"])
def test_python_of_the_documentation_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(), re.M | re.S)
    assert blocks
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, name, "exec"), scope)


def test_the_study_of_the_documentation_is_one(tmp_path: Path) -> None:
    text = (ROOT / "docs/PYTHON.md").read_text()
    block = re.search(r"^```toml\n(.*?)^```", text, re.M | re.S)
    assert block
    spec = tmp_path / "spec.toml"
    spec.write_text(block[1])
    read, _ = read_spec(spec)
    assert len(Plan(**read).points) == 10000


def test_everything_public_is_documented() -> None:
    for name in taut.__all__:
        assert name == "__version__" or getattr(taut, name).__doc__, name
