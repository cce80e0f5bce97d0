"""Send the spans of a run while it goes on, in a thread beside it, or afterwards. No episode waits for a collector."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path
from typing import Self

from manyhands.deploy.fleet.run_files.run_folder import only_run_in
from manyhands.deploy.telemetry.collector import SpanCollector
from manyhands.deploy.telemetry.run_traces import RunTraces, TracesReport
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import StoreError
from manyhands.protocol.utilities.backoff import Backoff

EVERY_S = 1.0
"""How often journals are looked at."""
REQUEST_S = 10.0
"""The time limit of a request while the run goes on."""
CLOSE_S = 5.0
"""How long a run sends what is left at its end. Counting what could not be sent may take as long again."""
PAUSES = Backoff(first_s=2.0, longest_s=60.0)
"""The pauses after requests that failed in a row."""
LIMIT_S = 3600.0
"""How long ``send_remaining`` sends, and counts what could not be sent."""
logger = logging.getLogger(__name__)


class TraceExport:
    """Send a run's spans while the context is open. On exit, send what is left within a short time."""

    def __init__(self, folder: Path, endpoint: str, with_content: bool) -> None:
        self._folder = folder
        self._endpoint = endpoint
        self._with_content = with_content
        self._stop = threading.Event()
        self._collector = SpanCollector(endpoint)
        self._thread = threading.Thread(target=self._run, name="traces", daemon=True)
        self._traces: RunTraces | None = None
        self._has_warned = False
        self.report: TracesReport | None = None
        """What became of the spans, once the context has closed."""

    async def __aenter__(self) -> Self:
        """Begin to send. Raises StoreError if the note of what was sent earlier cannot be read."""
        self._traces = await asyncio.to_thread(RunTraces, self._folder, self._collector, self._with_content)
        self._thread.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop.set()
        self._collector.abort()
        await asyncio.to_thread(self._thread.join, REQUEST_S + 3 * CLOSE_S)
        if self.report is None or self.report.unsent or self.report.reason:
            message = (
                "spans are not sent: the collector does not answer" if self.report is None else self.report.summary_line
            )
            logger.warning("%s; send the rest by: manyhands traces send %s", message, self._folder)

    def _run(self) -> None:
        with self._collector:
            pause_s, pauses = EVERY_S, PAUSES.pauses()
            while not self._stop.wait(pause_s):
                if self._send_new():
                    pause_s, pauses, self._has_warned = EVERY_S, PAUSES.pauses(), False
                else:
                    pause_s = next(pauses)
            try:
                self.report = self._opened.finish(CLOSE_S, CLOSE_S)
            except StoreError as error:
                logger.warning("what was sent is not noted, and may be sent again: %s", error)
            except Exception:
                logger.exception("no spans are sent any more, by a defect")

    def _send_new(self) -> bool:
        """Send what is new. Return False if that failed; the first failure in a row is logged."""
        try:
            if self._opened.send_new(REQUEST_S, self._stop.is_set) or self._stop.is_set():
                return True
            reason = self._opened.reason
        except StoreError as error:
            reason = str(error)
        except Exception:
            logger.exception("spans wait, by a defect")
            return False
        if not self._has_warned:
            logger.warning("spans wait to be sent to %s: %s", self._collector.url, reason)
        self._has_warned = True
        return False

    @property
    def _opened(self) -> RunTraces:
        assert self._traces is not None, "the thread starts after the folder was read"
        return self._traces


def send_remaining(folder: Path, endpoint: str, with_content: bool) -> TracesReport:
    """Send what a collector does not have of a run that does not go on, and give up when a request fails.

    Raises BadInput if the folder is no run folder or its run still goes on; StoreError if what was sent cannot be
    noted.
    """
    path = RunFolder(folder).path
    with only_run_in(path), SpanCollector(endpoint) as collector:
        return RunTraces(path, collector, with_content).finish(REQUEST_S, LIMIT_S)
