"""Recordings: files, tables, pages."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import taut


def recording() -> taut.Recording:
    return taut.World.load("loaded-chain", size=10).record(30)


def page_is_built() -> bool:
    try:
        recording().to_html()
    except taut.Error:
        return False
    return True


def test_files(tmp_path: Path) -> None:
    run = recording()
    run.save(tmp_path / "run.taut")
    again = taut.Recording.load(tmp_path / "run.taut")
    assert again.names == run.names and np.array_equal(again.times, run.times)
    assert np.abs(again.positions - run.positions).max() < 1e-5
    assert again.figures["rows"][-1] > 0
    world = taut.World.load(tmp_path / "run.taut")
    assert world.time == run.times[-1]
    command = [sys.executable, "-m", "taut", "run", str(tmp_path / "run.taut"), "--frames", "5"]
    assert subprocess.run(command, capture_output=True).returncode == 0
    with pytest.raises(taut.SceneError, match="not a recording"):
        taut.Recording.from_bytes(b"nonsense")
    with pytest.raises(FileNotFoundError):
        taut.Recording.load(tmp_path / "none")
    assert pickle.loads(pickle.dumps(run)).to_bytes() == run.to_bytes()


def test_tables() -> None:
    run = recording()
    pandas = pytest.importorskip("pandas")
    frame = run.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 31 * 11
    load = frame[frame["body"] == "load"]
    assert np.array_equal(load[["x", "y", "z"]].to_numpy(), run.position_of("load"))
    assert run.to_arrow().num_rows == len(frame)
    with pytest.raises(taut.Error, match="pandas or polars"):
        run.to_dataframe("excel")
    with pytest.raises(taut.Error, match="no body is named"):
        run.position_of("nobody")


@pytest.mark.skipif(not page_is_built(), reason="built without the viewer's page")
def test_pages(tmp_path: Path) -> None:
    run = recording()
    run.save(tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text()
    assert 'id="recording"' in text
    inline = run._repr_html_()
    assert inline.startswith("<iframe") and 'id="recording"' not in inline, "quoted"


@pytest.mark.skipif(not page_is_built(), reason="built without the viewer's page")
def test_show_in_a_notebook_and_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    run = recording()
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert run.show() is None
    page = Path(opened[0].removeprefix("file://"))
    assert 'id="recording"' in page.read_text()
    page.unlink()
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    InteractiveShell.instance()
    try:
        shown = run.show(height=300)
    finally:
        InteractiveShell.clear_instance()
    assert "height: 300px" in shown.data and shown.data.startswith("<iframe") and len(opened) == 1


@pytest.mark.skipif(not page_is_built(), reason="built without the viewer's page")
def test_the_viewer_opens_on_a_world_that_changed() -> None:
    world = taut.World.load("loaded-chain", size=10)
    world.body("load").remove()
    world.step_many(5)
    viewer = world.view(port=17474, open_browser=False)
    try:
        for _ in range(100):
            try:
                page = urllib.request.urlopen("http://127.0.0.1:17474/", timeout=5).read()
                break
            except OSError:
                assert viewer.poll() is None, "the viewer ended"
                time.sleep(0.1)
        assert b"<html" in page.lower()
    finally:
        viewer.terminate()
        viewer.wait(10)
