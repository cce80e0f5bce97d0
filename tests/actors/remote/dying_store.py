"""A store whose process dies when a file says so."""

from __future__ import annotations

import os
from pathlib import Path

from manyhands.actors.store import EncodedRecords, RunStore, StoreSettings


class DyingStore(RunStore):
    """Dies once for each file ``die-before`` and ``die-after`` in its folder: before and after it wrote an append."""

    def __init__(self, settings: StoreSettings) -> None:
        super().__init__(settings)
        self._where = settings.folder

    async def append_encoded(self, episode: str, records: EncodedRecords) -> None:
        _die(self._where / "die-before")
        await super().append_encoded(episode, records)
        _die(self._where / "die-after")


def _die(sign: Path) -> None:
    if sign.exists():
        sign.unlink()
        os._exit(1)
