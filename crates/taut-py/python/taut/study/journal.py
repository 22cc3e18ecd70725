"""The journal of a study: one file a process, one line a finished run, so that nothing is lost when
processes die, and nothing is done twice."""

from __future__ import annotations

import json
import os
import platform
from typing import Any, ClassVar


class Journal:
    """A folder of such files. It reads only what is new since it last looked."""

    _last: ClassVar[tuple[str, Journal] | None] = None

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._done: set[int] = set()
        self._read: dict[str, int] = {}

    @classmethod
    def of(cls, folder: str, token: str) -> Journal:
        """The journal of this process for a study; another token, and it reads all anew."""
        if cls._last is None or cls._last[0] != token:
            cls._last = (token, cls(folder))
        return cls._last[1]

    def note(self, row: dict[str, Any]) -> bool:
        """Adds a row, whole or not at all. Not on machines that do not have the folder: who collects
        notes it then."""
        if not os.path.isdir(self.folder):
            return False
        line = (json.dumps(row) + "\n").encode()
        name = os.path.join(self.folder, f"{platform.node()}-{os.getpid()}.jsonl")
        file = os.open(name, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            # In containers numbers of processes come again: one of them may have died in a line.
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                line = b"\n" + line
            if os.write(file, line) != len(line):
                raise OSError(f"{name}: the disk is full")
        finally:
            os.close(file)
        return True

    def done(self) -> set[int]:
        """The runs that ended, whoever did them."""
        for name in self._files():
            before = self._read.get(name, 0)
            with open(os.path.join(self.folder, name), "rb") as file:
                file.seek(before)
                whole, end, _ = file.read().rpartition(b"\n")
            self._read[name] = before + len(whole) + len(end)
            self._done.update(int(row["run"]) for row in _rows(whole))
        return self._done

    def rows(self) -> dict[int, dict[str, Any]]:
        """All rows, by run."""
        rows: dict[int, dict[str, Any]] = {}
        for name in self._files():
            with open(os.path.join(self.folder, name), "rb") as file:
                for row in _rows(file.read()):
                    rows.setdefault(int(row["run"]), row)
        return rows

    def clear(self) -> None:
        """Forgets all."""
        for name in self._files():
            os.remove(os.path.join(self.folder, name))
        self._done, self._read = set(), {}

    def _files(self) -> list[str]:
        if not os.path.isdir(self.folder):
            return []
        return sorted(name for name in os.listdir(self.folder) if name.endswith(".jsonl"))


def _rows(text: bytes) -> list[dict[str, Any]]:
    """A line that a killed process left unfinished is no row."""
    rows = []
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get("run"), int):
            rows.append(row)
    return rows
