"""What a run looked like: poses of all bodies over time, to look at, to plot, to keep."""

from __future__ import annotations

import html
import json
import os
import tempfile
import webbrowser
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _taut
from ._arrays import Floats
from ._taut import Error

if TYPE_CHECKING:
    from .report import Event
    from .world import World


class Recording:
    """Frames of a run; :meth:`World.record` makes it. In a notebook it shows itself.

    In memory poses are exact; files keep what is enough to look at (8 µm), and the exact state at
    the end, from which :meth:`world` goes on.
    """

    def __init__(
        self,
        header: str,
        times: Floats,
        poses: Floats,
        figures: NDArray[np.float32],
        tensions: NDArray[np.float32],
        steps: NDArray[Any] | None = None,
        events: list[Event] | None = None,
        snapshot: bytes | None = None,
    ) -> None:
        self._header = header
        self._scene: dict[str, Any] = json.loads(header)
        self._poses = poses
        self._figures = figures
        self._tensions = tensions
        self._snapshot = snapshot
        self.times = times
        """Times of the frames in s."""
        self.steps = steps
        """Figures of all steps (:data:`taut.records.STEP`); None for recordings from files."""
        self.events = events if events is not None else []
        """What happened in all steps."""

    @property
    def names(self) -> list[str]:
        """Names of the bodies."""
        return [body["name"] for body in self._scene["bodies"]]

    @property
    def name(self) -> str:
        """The name of the scene."""
        return str(self._scene["scene"].get("name") or "")

    @property
    def positions(self) -> Floats:
        """Positions (frames, bodies, 3) in m."""
        return self._poses[:, :, :3]

    @property
    def orientations(self) -> Floats:
        """Quaternions (w, x, y, z) (frames, bodies, 4)."""
        return self._poses[:, :, 3:]

    @property
    def figures(self) -> dict[str, NDArray[np.float32]]:
        """How the steps of the frames went, by name; NaN at the start."""
        return {name: self._figures[:, i] for i, name in enumerate(_taut.World.FIGURES)}

    @property
    def tensions(self) -> dict[str, NDArray[np.float32]]:
        """Of each cable the tensions of its spans (frames, spans) in N, by name; NaN once it is
        gone. Empty for recordings from files that have none."""
        found, at = {}, 0
        for i, cable in enumerate(self._scene["scene"].get("cables", [])):
            spans = len(cable["via"]) - (not cable.get("closed", False))
            if at + spans <= self._tensions.shape[1]:
                found[cable.get("name") or f"cable{i}"] = self._tensions[:, at : at + spans]
            at += spans
        return found

    def __len__(self) -> int:
        return len(self.times)

    def position_of(self, name: str) -> Floats:
        """The way of one body (frames, 3)."""
        names = self.names
        if name not in names:
            raise Error(f"no body is named '{name}'")
        return self.positions[:, names.index(name)]

    # Files.

    def to_bytes(self) -> bytes:
        """The bytes of a recording file, which ``taut view`` and ``taut run`` read."""
        poses = np.ascontiguousarray(self._poses, dtype=np.float32)
        return _taut.encode_recording(
            self._header, self.times, self._figures, poses, self._tensions, self._snapshot
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Recording:
        """From the bytes of a recording file."""
        header, times, figures, poses, tensions, snapshot = _taut.decode_recording(data)
        return cls(header, times, poses.astype(np.float64), figures, tensions, snapshot=snapshot)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it: as a page that replays it in any browser if the name ends in .html, else as a
        recording."""
        name = os.fspath(path)
        data = self.to_html().encode() if name.lower().endswith(".html") else self.to_bytes()
        with open(name, "wb") as file:
            file.write(data)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Recording:
        """From a recording file.

        >>> import taut, tempfile, os
        >>> world = taut.World.load("loaded-chain", size=5)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = os.path.join(folder, "run.taut")
        ...     world.record(20).save(file)
        ...     again = taut.Recording.load(file)
        >>> again.world().snapshot() == world.snapshot()
        True
        """
        with open(path, "rb") as file:
            return cls.from_bytes(file.read())

    def world(self) -> World:
        """A world that goes on from the end, bit for bit."""
        from .world import _restore

        if self._snapshot is None:
            raise Error("the recording holds no snapshot to continue from")
        return _restore(json.dumps(self._scene["scene"]), self._snapshot, 1)

    # Looking.

    def to_html(self) -> str:
        """A page that replays the run, complete in itself."""
        return _taut.replay_page(self.to_bytes())

    def _repr_html_(self) -> str:
        return self._frame(480)

    def _frame(self, height: int) -> str:
        page = html.escape(self.to_html(), quote=True)
        style = f"width: 100%; height: {height}px; border: 1px solid #888"
        return f'<iframe style="{style}" srcdoc="{page}"></iframe>'

    def show(self, height: int = 480) -> Any:
        """In a notebook: the replay, inline. Elsewhere it opens in a browser, from a temporary
        file."""
        shell = None
        try:
            from IPython import get_ipython

            shell = get_ipython()
        except ImportError:
            pass
        if shell is not None:
            from IPython.display import HTML

            return HTML(self._frame(height))
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as file:
            file.write(self.to_html())
        webbrowser.open("file://" + file.name)
        return None

    # Tables.

    def _columns(self) -> dict[str, Any]:
        frames, bodies = self._poses.shape[:2]
        columns: dict[str, Any] = {
            "frame": np.repeat(np.arange(frames), bodies),
            "time": np.repeat(self.times, bodies),
            "body": np.tile(np.array(self.names, dtype=object), frames),
        }
        for i, column in enumerate(("x", "y", "z", "qw", "qx", "qy", "qz")):
            columns[column] = self._poses[:, :, i].ravel()
        return columns

    def to_dataframe(self, library: str = "pandas") -> Any:
        """One row a frame and body: frame, time, body, x, y, z, qw, qx, qy, qz. ``library``:
        ``pandas`` or ``polars``.

        >>> import taut
        >>> frame = taut.World.load("loaded-chain", size=5).record(2).to_dataframe()
        >>> frame.shape
        (18, 10)
        """
        if library == "pandas":
            import pandas

            return pandas.DataFrame(self._columns())
        if library == "polars":
            import polars

            return polars.from_arrow(self.to_arrow())
        raise Error(f"library '{library}' is not known: pandas or polars")

    def to_arrow(self) -> Any:
        """The same as a ``pyarrow.Table``."""
        import pyarrow

        return pyarrow.table(self._columns())

    def __repr__(self) -> str:
        name = f" '{self.name}'" if self.name else ""
        seconds = float(self.times[-1] - self.times[0]) if len(self) else 0.0
        bodies = self._poses.shape[1]
        return f"<taut.Recording{name}: {len(self)} frames, {bodies} bodies, {seconds:.6g} s>"
