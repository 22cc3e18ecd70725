"""The results of a study."""

from __future__ import annotations

from typing import Any


class Study:
    """The results of a study: one row a run, in the order of the runs."""

    def __init__(self, rows: list[dict[str, Any]], path: str | None) -> None:
        self.rows = rows
        self.path = path
        """The Parquet file."""

    @property
    def failed(self) -> list[dict[str, Any]]:
        """Rows of the runs that failed, with their errors."""
        return [row for row in self.rows if row["status"] != "done"]

    def __len__(self) -> int:
        return len(self.rows)

    def to_arrow(self) -> Any:
        """As a ``pyarrow.Table``."""
        import pyarrow

        names: dict[str, None] = {}
        for row in self.rows:
            names.update(dict.fromkeys(row))
        return pyarrow.table({name: [row.get(name) for row in self.rows] for name in names})

    def to_dataframe(self) -> Any:
        """As a pandas data frame."""
        return self.to_arrow().to_pandas()

    def __repr__(self) -> str:
        return f"<taut.Study: {len(self)} runs, {len(self.failed)} failed>"
