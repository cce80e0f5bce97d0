"""What an episode writes: its records in order, and its screens, both behind the step and both bounded."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.actors.episode.behind import WriteBehind
from manyhands.actors.episode.patience import Patience
from manyhands.actors.episode.state import EpisodeState, fold
from manyhands.actors.seams import Handle, Store
from manyhands.protocol.records import Record


class Journal(WriteBehind[Record]):
    """Append one episode's records by one writer task, and keep the state that they fold into.

    A record that follows from another is written after it, so the order on disk respects causality. Each has its place:
    what may or may not have been written is appended again, and counts once.
    """

    def __init__(self, store: Store, episode: str, epoch: int, ahead: int, patience: Patience) -> None:
        """``epoch`` is the lease's. ``ahead`` records may wait to be appended; one more makes its writer wait."""
        self.state = EpisodeState()
        self.next_seq = 0
        """The place of the next batch's first record."""

        async def append(records: Sequence[Record]) -> None:
            await store.append(episode, records, self.next_seq, epoch)
            self.next_seq += len(records)

        super().__init__(append, f"the journal of {episode}", ahead, patience)

    def go_on_from(self, state: EpisodeState, next_seq: int) -> None:
        """Write behind what stands in the journal already, which folds into ``state``."""
        self.state, self.next_seq = state, next_seq

    async def write(self, record: Record) -> None:
        """Queue ``record`` and fold it into the state. Raises StoreError."""
        await self.put(record)
        self.state = fold(self.state, record)


class ScreenKeeper(WriteBehind[tuple[str, Handle]]):
    """Put screens into the run folder, once each, a few behind the step that took them."""

    def __init__(self, store: Store, ahead: int, patience: Patience) -> None:
        """``ahead`` screens may wait; one more makes its capture wait."""
        self._kept: set[str] = set()

        async def put(screens: Sequence[tuple[str, Handle]]) -> None:
            await store.put_screens([content_id for content_id, _ in screens], *(frame for _, frame in screens))

        super().__init__(put, "screens", ahead, patience)

    async def keep(self, content_id: str, frame: Handle) -> None:
        """Queue a screen that is new. Raises StoreError if one before could not be written."""
        if content_id not in self._kept:
            self._kept.add(content_id)
            await self.put((content_id, frame))
