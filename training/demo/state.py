"""Remember which steps of a pipeline are done, on disk, so that a killed pipeline goes on where it was."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities import secure_files

SAY = Callable[[str], None]


class State:
    """Hold the seconds that each finished step took, in ``state.json`` of a folder.

    ``settings``: what a later call may not change. Raises BadInput if the folder's pipeline began with others.
    """

    def __init__(self, folder: Path, settings: dict[str, Any], say: SAY = lambda _: None) -> None:
        self._file = folder / "state.json"
        self._say = say
        secure_files.make_folder(folder)
        try:
            kept = json.loads(self._file.read_text())
        except FileNotFoundError:
            kept = {"settings": settings, "seconds": {}}
        if kept["settings"] != settings:
            raise BadInput(f"{folder}: begun with {kept['settings']}, not {settings}; name another folder with --out")
        self._settings = settings
        self.seconds: dict[str, float] = kept["seconds"]
        """By name, in the order in which the steps were done. What an interrupted call spent does not count."""

    def is_done(self, *steps: str) -> bool:
        """Return whether all these steps are done."""
        return all(step in self.seconds for step in steps)

    async def do(self, step: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do a step unless it is done. An error leaves it to be done."""
        if self.is_done(step):
            return
        self._say(f"{step} ...")
        began = time.monotonic()
        await work()
        self.seconds[step] = round(time.monotonic() - began, 1)
        secure_files.replace_text(self._file, json.dumps({"settings": self._settings, "seconds": self.seconds}))
        self._say(f"{step}: {self.seconds[step]:.0f} s")
