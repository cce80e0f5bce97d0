"""Send the spans of a run: read its journals on, send what is new in batches, and note on disk what was sent."""

from __future__ import annotations

import importlib.metadata
import logging
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from opentelemetry.sdk.resources import Resource

from manyhands.deploy.telemetry.collector import SpanCollector
from manyhands.deploy.telemetry.episode_trace import EpisodeTrace, ExportProgress, SpanBatch
from manyhands.protocol.errors import StoreError
from manyhands.protocol.journals.envelope import Envelope
from manyhands.protocol.journals.frames import MAX_RECORD, Walk, walk
from manyhands.protocol.journals.journal import scan
from manyhands.protocol.journals.journal_file import JOURNAL, START, first_record, read_regular
from manyhands.protocol.runs.folder_identity import EPISODES
from manyhands.protocol.runs.run_cipher import PLAIN, RunCipher, cipher_of

CHUNK_BYTES = 2 * 2**20
"""How much of a journal is read at once, unless a record is longer."""


class JournalTail:
    """Remember how far a journal was read. A record that is not written completely is read later."""

    def __init__(self, path: Path, offset: int = 0, cipher: RunCipher = PLAIN) -> None:
        """``offset``: the end of a record, or of a stored frame, up to which the journal is known."""
        self._path = path
        self._cipher = cipher
        self.offset = offset
        """The end of the last record that was read."""
        self._known_size = offset
        """The size of the file when its end was last reached."""

    @property
    def is_at_end(self) -> bool:
        """Return whether all bytes that the file had lately were records that were read."""
        return self.offset == self._known_size

    def read_on(self) -> Sequence[Envelope[Any]]:
        """Return the next records, in the order of their places; an empty result if there is none yet.

        Records may come again: after a failed write, their writer shortens the file and writes them once more. Raises
        OSError and StoreError.
        """
        size = self._path.stat().st_size
        if size in (self.offset, self._known_size):
            return ()
        if size < self.offset:
            self.offset = 0
        data, walked = self._read_frames()
        if self.offset and walked.damage and walked.damage[0].start == 0 and walked.torn_at != 0:
            self.offset = 0  # the file was shortened and has grown again: no record ends at the offset any more
            data, walked = self._read_frames()
        if self.offset + len(data) >= size:
            self._known_size = size
        if not walked.frames:
            return ()
        whole = data[: walked.frames[-1].end]
        records = self._cipher.decrypt_frames(whole)
        copy = self._copy_of_first(records) if self.offset == 0 else b""
        self.offset += len(whole)
        return scan(copy + records).envelopes

    def _read_frames(self) -> tuple[bytes, Walk]:
        """Return a chunk from the offset on. It holds a whole record, unless the file has none there."""
        length = CHUNK_BYTES
        while True:
            data = read_regular(self._path, self.offset, length)
            walked = walk(data)
            if walked.frames or len(data) < length or length > MAX_RECORD:
                return data, walked
            length *= 4

    def _copy_of_first(self, data: bytes) -> bytes:
        """Return the copy of the journal's first record if that record is damaged; else nothing."""
        if first_record(data) is not None:
            return b""
        try:
            return first_record(self._cipher.decrypt_frames(read_regular(self._path.with_name(START)))) or b""
        except FileNotFoundError:
            return b""


MOST_SPANS = 512
"""The most spans of a request, and about the most that wait in memory. Journals are read on when they are sent."""
RECHECK_S = 30.0
"""How often journals that were complete are looked at: a lesson, or a resumption, may follow the end of an episode."""
MOST_LENGTH = 2**20
"""About the most characters of all texts in a request."""
_log = logging.getLogger(__name__)


class FollowedJournal(NamedTuple):
    """Hold where a journal is read on, and the spans that come of it."""

    tail: JournalTail
    trace: EpisodeTrace


@dataclass(frozen=True, slots=True)
class TracesReport:
    """Report what became of a run's spans at a collector."""

    url: str
    sent: int
    """Spans that were sent now."""
    unsent: int
    """Spans of the journals that the collector does not have."""
    has_more: bool
    """Whether ``unsent`` is a lower bound, because counting took too long."""
    reason: str | None
    """Why the last request failed; None if all were answered."""

    @property
    def summary_line(self) -> str:
        """Return the report in one line."""
        rest = f"{'at least ' if self.has_more else ''}{self.unsent} not sent"
        why = f" ({self.reason})" if self.reason else ""
        return f"spans to {self.url}: {self.sent} sent, {rest}{why}"


class RunTraces:
    """Send the spans of a run folder to one collector. All methods block. One thread at a time may call them."""

    def __init__(self, folder: Path, collector: SpanCollector, with_content: bool) -> None:
        """Raises StoreError if the note of what was sent cannot be read, BadInput if the key cannot."""
        self._folder = folder
        self._cipher = cipher_of(folder)
        self._collector = collector
        self._with_content = with_content
        self._progress = ExportProgress(folder, collector.url)
        self._resource = Resource.create(
            {
                "service.name": os.environ.get("OTEL_SERVICE_NAME", "manyhands"),
                "service.version": importlib.metadata.version("manyhands"),
            }
        )
        self._journals: dict[str, FollowedJournal] = {}
        self._waiting: deque[SpanBatch] = deque()
        self._complete: set[str] = set()
        """Episodes whose journals were sent completely. They are looked at again every ``RECHECK_S``."""
        self._recheck_at = 0.0
        self._unreadable: set[str] = set()
        self._sent = 0
        self.reason: str | None = None
        """Why the last request failed; None if it was answered."""

    def send_new(self, timeout_s: float, is_over: Callable[[], bool]) -> bool:
        """Send what is new in the journals. Return False if the collector did not take all of it.

        ``timeout_s``: the time limit of a request. ``is_over``: whether to stop. Raises StoreError if what was sent
        cannot be noted.
        """
        while not is_over():
            has_read = self._read_on()
            if self._waiting:
                if not self._send_batch(timeout_s):
                    return False
            elif not has_read:
                self._release_complete()
                return True
        return False

    def finish(self, timeout_s: float, limit_s: float) -> TracesReport:
        """Send what is left, with the spans of what has not ended, and report.

        Sending takes ``limit_s`` at most, then a request of ``timeout_s``, then counting ``limit_s``.
        """
        until = time.monotonic() + limit_s
        self._recheck_at = 0.0
        if self.send_new(timeout_s, lambda: time.monotonic() >= until):
            self._close_all()
            while self._waiting and time.monotonic() < until and self._send_batch(timeout_s):
                pass
            self._release_complete()
        unsent, has_more = self._count_unsent(time.monotonic() + limit_s)
        return TracesReport(self._collector.url, self._sent, unsent, has_more, self.reason)

    def _read_on(self) -> bool:
        """Read journals on until enough spans wait for a request. Return whether there was something to read."""
        before = len(self._waiting)
        count = sum(len(batch.spans) for batch in self._waiting)
        has_read = False
        for episode in self._incomplete():
            if count >= MOST_SPANS:
                break
            envelopes = self._next_records(episode)
            has_read = has_read or bool(envelopes)
            for envelope in envelopes:
                batch = self._journals[episode].trace.follow(envelope)
                if batch is not None:
                    self._waiting.append(batch)
                    count += len(batch.spans)
        return has_read or len(self._waiting) > before

    def _incomplete(self) -> Sequence[str]:
        """Return the episodes whose journals may have something new."""
        if time.monotonic() >= self._recheck_at:
            self._complete.clear()
            self._recheck_at = time.monotonic() + RECHECK_S
        try:
            return sorted({*os.listdir(self._folder / EPISODES)} - self._complete)
        except FileNotFoundError:  # no episode has begun
            return ()

    def _next_records(self, episode: str) -> Sequence[Envelope[Any]]:
        """Return the next records of a journal. A journal that cannot be read is left alone."""
        path = self._folder / EPISODES / episode / JOURNAL
        try:
            if episode not in self._journals:
                exported = self._progress.of(episode)
                if exported.size and path.stat().st_size == exported.size:
                    self._complete.add(episode)
                    return ()
                trace = EpisodeTrace(episode, exported, self._resource, self._with_content)
                self._journals[episode] = FollowedJournal(JournalTail(path, cipher=self._cipher), trace)
            return self._journals[episode].tail.read_on()
        except (FileNotFoundError, NotADirectoryError):  # it has not begun, or is no episode
            return ()
        except (OSError, StoreError) as error:
            if episode not in self._unreadable:
                self._unreadable.add(episode)
                _log.warning("no spans of %s for now: %s", episode, error)
            return ()

    def _send_batch(self, timeout_s: float) -> bool:
        """Send one request of what waits, and note that it was sent. Return False if the collector did not take it."""
        batches: list[SpanBatch] = []
        count = length = 0
        for batch in self._waiting:
            count, length = count + len(batch.spans), length + _length(batch)
            if batches and (count > MOST_SPANS or length > MOST_LENGTH):
                break
            batches.append(batch)
        spans = [span for batch in batches for span in batch.spans]
        if spans:
            self.reason = self._collector.send(spans, timeout_s)
            if self.reason is not None:
                return False
        self._sent += len(spans)
        for batch in batches:
            self._waiting.popleft()
            self._progress.update(batch.episode, batch.progress)
        self._progress.save()
        return True

    def _close_all(self) -> None:
        closing = (followed.trace.close() for followed in self._journals.values())
        self._waiting.extend(batch for batch in closing if batch is not None)

    def _release_complete(self) -> None:
        """Note the journals of which everything was sent, and forget them. They are read anew if they grow."""
        if self._waiting:
            return
        for episode, followed in list(self._journals.items()):
            if followed.trace.is_closed and followed.tail.is_at_end:
                size = followed.tail.offset
                self._progress.update(episode, self._progress.of(episode).model_copy(update={"size": size}))
                self._complete.add(episode)
                del self._journals[episode]
        self._progress.save()

    def _count_unsent(self, until: float) -> tuple[int, bool]:
        """Return how many spans are not sent, and whether there are more that were not counted in time.

        Nothing can be sent afterwards.
        """
        count = 0
        while time.monotonic() < until:
            count += sum(len(batch.spans) for batch in self._waiting)
            self._waiting.clear()
            if not self._read_on():
                self._close_all()
                return count + sum(len(batch.spans) for batch in self._waiting), False
        return count, True


def _length(batch: SpanBatch) -> int:
    """Return about how long the texts of a batch are."""
    return sum(
        len(value) for span in batch.spans for value in (span.attributes or {}).values() if isinstance(value, str)
    )
