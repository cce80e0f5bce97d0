"""Record the log of an episode's phone beside the episode. Nothing that fails here changes the episode."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import TYPE_CHECKING

from manyhands.actors.clock import time_limit
from manyhands.protocol.errors import CallError, LogUnavailable, ManyhandsError, StoreError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import PhoneLog

HIDDEN = "[hidden]"
_NAMES = (
    "(?:pass(?:word|wd|phrase)?|pwd|pin|otp|secret|token|api[_-]?key|auth|authorization|cookie|session[_-]?id|"
    "credential)s?"
)
_VALUE = r"(?:\"[^\"]*\"|'[^']*'|(?!\[hidden\])[^\s,;&\"')\]}]+)"
_PATTERNS = (
    re.compile(r"(?P<kept>\{\{\s*secret\s*:)[^}]*", re.IGNORECASE),
    re.compile(r"(?P<kept>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE),
    re.compile(rf"(?P<kept>{_NAMES}[\"']?\s{{0,3}}[=:]\s{{0,3}}){_VALUE}", re.IGNORECASE),
    re.compile(r"(?P<kept>)\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    re.compile(r"(?P<kept>\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]{0,200}:)[^\s/@]{1,500}(?=@)", re.IGNORECASE),
)
"""Patterns of secrets; what their group ``kept`` matches stays."""


def hide_secrets(text: str) -> str:
    """Return the text with values hidden that look like passwords, tokens or cookies, by their names or forms."""
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\g<kept>{HIDDEN}", text)
    return text


if TYPE_CHECKING:
    from manyhands.actors.episode.runtime import EpisodeRuntime

EVERY_S = 2.0
"""The log is fetched so often."""
CALL_S = 10.0
LAST_S = 2.0
"""The end of an episode waits for the last lines for at most so long."""
logger = logging.getLogger(__name__)


class LogRecorder:
    """Fetch what the phone logs, hide what looks like a secret, and append it to the episode's log file.

    No prompt holds any of it.
    """

    def __init__(self, runtime: EpisodeRuntime) -> None:
        self._runtime = runtime
        self._left_out = 0
        """Bytes that were fetched and could not be written."""
        self._turn = asyncio.Lock()
        """Held while a part is fetched and written, so that parts stay in order."""
        self._is_over = False
        """Whether there is no log to record."""

    async def run(self) -> None:
        """Record until cancelled, or until it turns out that this phone's log cannot be had."""
        while not self._is_over:
            await self._record(CALL_S)
            await self._runtime.clock.sleep(EVERY_S)

    async def finish(self) -> None:
        """Record the last lines, within a short time."""
        if not self._is_over:
            await self._record(LAST_S)

    async def _record(self, limit_s: float) -> None:
        runtime = self._runtime
        deadline = runtime.clock.now() + limit_s
        step = max(0, runtime.journal.state.last_step)
        context = CallContext(episode=runtime.order.episode, step=step, deadline=deadline)
        try:
            async with time_limit(runtime.clock, deadline, "recording the log"), self._turn:
                await self._append(await runtime.collaborators.gateway.log(runtime.lease, context))
        except LogUnavailable as error:
            self._is_over = True
            await self._tell(f"# this log was not recorded: {error}\n")
        except ManyhandsError as error:  # a lost phone may come back while the episode goes on
            logger.info("%s: the phone's log: %s", runtime.order.episode, error)
        except Exception:
            self._is_over = True
            logger.exception("%s: recording the phone's log ended by a defect", runtime.order.episode)

    async def _append(self, log: PhoneLog) -> None:
        """Write a part of the log. What cannot be written is counted in the next part."""
        if not log.text and not log.left_out and not self._left_out:
            return
        text = hide_secrets(log.text)
        part = log.model_copy(update={"text": text, "left_out": log.left_out + self._left_out})
        try:
            await self._runtime.collaborators.store.append_log(self._runtime.order.episode, part)
        except (StoreError, CallError, asyncio.CancelledError):
            self._left_out = part.left_out + len(text.encode("utf-8", "replace"))
            raise
        self._left_out = 0

    async def _tell(self, line: str) -> None:
        """Write why there is no log."""
        try:
            await self._runtime.collaborators.store.append_log(self._runtime.order.episode, PhoneLog(text=line))
        except ManyhandsError as error:
            logger.info("%s: the phone's log: %s", self._runtime.order.episode, error)
