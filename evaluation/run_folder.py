"""Reading a run folder: its journals, its screens, what was asked."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from manyhands.evaluation.episodes import start_of
from manyhands.protocol.errors import BadInput
from manyhands.protocol.journal import Scan, scan
from manyhands.protocol.records import Record
from manyhands.protocol.written import read_yaml


class RunFolder:
    """Read a run from its folder. Raises BadInput if the path is not a run folder."""

    def __init__(self, path: Path) -> None:
        if not (path / "run.yaml").is_file():
            runs = ", ".join(sorted(one.parent.name for one in path.glob("*/run.yaml")))
            why = f"runs are in it: {runs}" if runs else "it has no run.yaml"
            raise BadInput(f"{path}: not a run folder ({why})")
        self.path = path

    @cached_property
    def asked(self) -> dict[str, Any]:
        """Return the content of run.yaml. Raises BadInput if it cannot be read, for example if it was cut off."""
        path = self.path / "run.yaml"
        read = read_yaml(path)
        read.refuse(())
        if not isinstance(read.data, dict):
            raise BadInput(f"{path}: not a mapping")
        return read.data

    @cached_property
    def journals(self) -> dict[str, Scan]:
        """Return each episode's journal by the episode's id, in the order in which they started."""
        scans = {path.parent.name: scan(path.read_bytes()) for path in self.path.glob("episodes/*/journal.mh")}
        return dict(sorted(scans.items(), key=lambda item: (_started(item[1].records), item[0])))

    def screen_path(self, content_id: str) -> Path:
        """Return where the PNG of a screenshot is, if it was written."""
        return self.path / "screens" / f"{content_id}.png"

    def screen_png(self, content_id: str) -> bytes | None:
        """Return the PNG of a screenshot; None if the run was cut off before it was written."""
        path = self.screen_path(content_id)
        return path.read_bytes() if path.is_file() else None


def _started(records: tuple[Record, ...]) -> float:
    started = start_of(records)
    return started.at if started is not None else 0.0
