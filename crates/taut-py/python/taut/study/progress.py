"""How far a study is."""

from __future__ import annotations

import sys
import time


class Bar:
    """How far it is, on stderr if that is a terminal."""

    def __init__(self, total: int, before: int, shown: bool) -> None:
        self.total, self.before = total, before
        self.ended = self.failed = 0
        self.start = self.last = time.monotonic()
        self.shown = shown and sys.stderr.isatty()

    def add(self, good: bool) -> None:
        """A run ended."""
        self.ended += 1
        self.failed += not good
        now = time.monotonic()
        if self.shown and (now - self.last > 0.2 or self.ended == self.total):
            self.last = now
            rate = self.ended / max(now - self.start, 1e-9)
            left = (self.total - self.ended) / rate
            share = self.ended / self.total
            full = "#" * int(30 * share)
            failed = f", {self.failed} failed" if self.failed else ""
            text = f"\r[{full:30}] {self.ended} of {self.total} runs{failed}, {rate:.1f}/s, {left:.0f} s left "
            sys.stderr.write(text)
            sys.stderr.flush()

    def end(self) -> None:
        """All did."""
        if self.shown:
            sys.stderr.write("\n")
