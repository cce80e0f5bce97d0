"""Read the evidence for predicates, and find what changed in the states that the task must leave unchanged.

Evidence is the phone's answers, the screen as perception reads it, and the agent's answer. Each source is asked once,
within the deadline of a capture. If a source has no answer, such as a file on a phone without shared storage, the tests
that need it stay undecided. If a phone, lease or gateway is away, an error is raised, because the caller can ask again
later. The states for ``unchanged`` are read after the reset, and again when the episode has ended.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from manyhands.actors.episode.profile import CAPTURE
from manyhands.actors.episode.recent_pictures import CapturedScreen
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.perceive import capture_now
from manyhands.actors.policy.judgement import judge_for_author, judges_phone
from manyhands.protocol.errors import CaptureFailed, PerceptionError, StateUnavailable
from manyhands.protocol.journals.records import CheckPrepared, StateRead
from manyhands.protocol.phones import Perform, Receipt, check_key
from manyhands.protocol.policy import allow
from manyhands.protocol.screens.actions import LINK, OpenApp, OpenLink
from manyhands.protocol.screens.screen import Screen
from manyhands.protocol.tasks.predicates import Evidence, Predicate, Unanswered, asks_provider, sources
from manyhands.protocol.tasks.side_effects import LONGEST_STATE, StateChange, part_of, source_of, unexpected_changes
from manyhands.protocol.tasks.state_tests import ANSWER, SCREEN


@dataclass(slots=True)
class EvidenceReader:
    """Read what predicates ask after a step, and cache each answer."""

    runtime: EpisodeRuntime
    step: int
    provider: str | None
    """The address of the state that paths look into; None if the check names none."""
    screen: str | None = None
    """The content id of the screen that was read for the predicates; None if none was read."""
    _answers: dict[str, Any] = field(default_factory=dict)
    _captured: CapturedScreen | None = None
    _read: Screen | None = None

    async def read(self, predicates: Iterable[Predicate]) -> Evidence:
        """Return the evidence for all ``predicates``.

        Raises PhoneLost, LeaseLost, CallError. After these errors the phone may answer later.
        """
        required = tuple(predicates)
        state: Any = Unanswered("the check names no source")
        if self.provider is not None and any(asks_provider(predicate) for predicate in required):
            state = await self.read_source(self.provider)
        for predicate in required:
            for source in sources(predicate):
                await self.read_source(source)
        return Evidence(state, dict(self._answers))

    def forget(self) -> None:
        """Forget all cached answers. Call this when something was opened on the phone."""
        self._answers.clear()
        self._captured = self._read = None

    async def read_source(self, source: str) -> Any:
        """Return the answer of a source, or ``Unanswered`` if it has none. Raises PhoneLost, LeaseLost, CallError."""
        if source not in self._answers:
            try:
                self._answers[source] = await self._ask(source)
            except StateUnavailable as error:
                self._answers[source] = Unanswered(str(error))
        return self._answers[source]

    async def _ask(self, source: str) -> Any:
        if source == ANSWER:
            return self.runtime.journal.state.answer
        if source == SCREEN:
            return await self._read_screen()
        gateway, lease = self.runtime.collaborators.gateway, self.runtime.lease
        return (await self._context.call(lambda call: gateway.state(lease, source, call))).value

    async def capture_screen(self) -> CapturedScreen:
        """Return the screen as it is at the first call. Raises StateUnavailable, PhoneLost, LeaseLost, CallError."""
        if self._captured is None:
            try:
                self._captured = await capture_now(self._context)
            except CaptureFailed as error:
                raise StateUnavailable(f"the screen could not be read: {error}") from error
            self.screen = self._captured.screenshot.content_id
            await self.runtime.screens.keep(self.screen, self._captured.picture.frame)
        return self._captured

    async def perceive_screen(self) -> Screen:
        """Return what perception reads off that screen. Raises what ``capture_screen`` raises."""
        captured, perception = await self.capture_screen(), self.runtime.collaborators.perception
        if self._read is None:
            shot, frame = captured.screenshot, captured.picture.frame
            try:
                self._read = (await self._context.call(lambda call: perception.perceive(shot, frame, call))).value
            except PerceptionError as error:
                raise StateUnavailable(f"the screen could not be read: {error}") from error
        return self._read

    async def _read_screen(self) -> dict[str, Any]:
        """Return the elements of the screen as items with ``text`` or ``icon``. Raises StateUnavailable."""
        screen = await self.perceive_screen()
        return {"screen": [{element.kind: element.content} for element in screen.elements]}

    @property
    def _context(self) -> StageContext:
        return StageContext(self.runtime, CAPTURE, self.step)


def is_link(opens: str) -> bool:
    """Return whether a check opens a link or a page of Android's settings, and not an app by its label."""
    return re.fullmatch(LINK, opens) is not None


async def open_for_check(runtime: EpisodeRuntime, opens: str, step: int) -> Receipt:
    """Open an app or link for a check, and journal that. The gateway opens it only once under one lease.

    The receipt is ``refused`` if the policy refuses what the task's author asks for.

    Raises PhoneLost, LeaseLost, StoreError, CallError.
    """
    key = check_key(runtime.order.episode, step, runtime.lease.epoch)
    action = OpenLink(link=opens) if is_link(opens) else OpenApp(app=opens)
    policy, phone = runtime.settings.policy, runtime.journal.state.phone
    verdict = allow(action, "the policy judges no actions on this phone")
    if judges_phone(policy, phone):
        verdict = judge_for_author(policy, action, opens, f"the author of {runtime.task.id}")
    record = CheckPrepared(at=runtime.clock.now(), key=key, opens=opens, verdict=verdict)
    if verdict.decision != "allow":
        reason = f"{verdict.reason}; the policy refuses that"
        receipt = Receipt(key=key, status="refused", detail=reason, sent_at=record.at, ms=0)
        await runtime.journal.write(record.model_copy(update={"receipt": receipt}))
        return receipt
    perform = Perform(key=key, action=action, verdict=verdict.id)
    await runtime.journal.write(record)
    await runtime.journal.flush()
    gateway, context = runtime.collaborators.gateway, StageContext(runtime, CAPTURE, step)
    receipt = (await context.call(lambda call: gateway.perform(runtime.lease, perform, call))).value
    await runtime.journal.write(record.model_copy(update={"at": runtime.clock.now(), "receipt": receipt}))
    with contextlib.suppress(CaptureFailed):  # a test that needs the picture reports it
        await capture_now(context)  # waits until the screen rests
    return receipt


async def record_state(runtime: EpisodeRuntime) -> None:
    """Read and journal the states that the task must leave unchanged, if it names any.

    Raises PhoneError, LeaseLost, CallError, StoreError.
    """
    if runtime.task.unchanged:
        states, unread = await _read(runtime, EvidenceReader(runtime, 0, None))
        await runtime.journal.write(StateRead(at=runtime.clock.now(), states=states, unread=unread))


async def compare_state(runtime: EpisodeRuntime, reader: EvidenceReader) -> tuple[StateChange, ...] | None:
    """Return what changed beyond what the task may change; None if a state could not be read then or now.

    Raises PhoneError, LeaseLost, CallError.
    """
    before = runtime.journal.state.state_read
    if before is None or before.unread:
        return None
    states, unread = await _read(runtime, reader)
    if unread:
        return None
    return tuple(
        change
        for watched in runtime.task.unchanged
        for change in unexpected_changes(before.states.get(watched), states[watched], runtime.task.changes)
    )


async def _read(runtime: EpisodeRuntime, reader: EvidenceReader) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the state of each entry of ``unchanged``, and a line with the reason for each that could not be read."""
    states: dict[str, Any] = {}
    unread: list[str] = []
    length = 0
    for watched in runtime.task.unchanged:
        answer = await reader.read_source(source_of(watched))
        if isinstance(answer, Unanswered):
            unread.append(f"{watched}: {answer.reason}")
            continue
        states[watched] = part_of(watched, answer)
        length += len(json.dumps(states[watched]))
        if length > LONGEST_STATE:
            unread.append(f"{watched}: its state is longer than {LONGEST_STATE} characters")
            del states[watched]
    return states, tuple(unread)
