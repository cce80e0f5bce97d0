"""Says what tasks know from the start, and has them teach what they met (Mobile-Agent-E, sections 3.2 and 5.4)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.learning.budget import best_first, tokens_of_all, within
from manyhands.actors.learning.door import pass_door
from manyhands.actors.learning.history import History, history_of
from manyhands.actors.memory.limits import condense
from manyhands.actors.memory.reports import not_taken_in
from manyhands.actors.memory.shortcuts import ShortcutUnusable
from manyhands.actors.seams import Agent, FleetMemory, Store
from manyhands.protocol.base import Input
from manyhands.protocol.errors import CallError, ErrorWithCalls, ModelError, StoreError
from manyhands.protocol.geometry import Size
from manyhands.protocol.learning import LearnOrder, Recall, RecallOrder, Taught
from manyhands.protocol.lessons import (
    FLEET,
    USER,
    LearnedFrom,
    Lesson,
    LessonTaken,
    MemorySnapshot,
    Refusal,
    Scope,
    TaughtTips,
    app_scope,
    run_scope,
    task_scope,
)
from manyhands.protocol.memory import Shortcut
from manyhands.protocol.messages import CallContext, ModelCall
from manyhands.protocol.records import Learned, Record, Span
from manyhands.protocol.roles import (
    ALL_TOLD,
    Brief,
    LearnShortcutsRequest,
    LearnTipsRequest,
    RecallRequest,
    Recollection,
    Role,
    Told,
)
from manyhands.protocol.runs import EpisodeSettings
from manyhands.protocol.tasks import TaskSpec

_ANY_SIZE = Size(width=1000, height=1000)
"""Of a retriever's request, which has no coordinates."""
logger = logging.getLogger(__name__)


class TeacherSettings(Input):
    budget_tokens: int = Field(default=3000, ge=100)
    """What tips and shortcuts may take of a brief; beyond that a retriever chooses."""
    shown_tokens: int = Field(default=12_000, ge=100)
    """What a retriever, or a learner, is shown of them at most; the search chooses before."""


class Teacher:
    """Implements ``actors.seams.Learning``. It keeps nothing: what it did stands in journals and in the memory."""

    def __init__(
        self,
        settings: TeacherSettings,
        memory: FleetMemory,
        store: Store,
        agents: Mapping[Role, Agent[Any, Any]],
        clock: Clock | None = None,
    ) -> None:
        """``agents``: of the roles ``learn_tips``, ``learn_shortcuts`` and ``recall``, as far as they are asked."""
        self._settings = settings
        self._memory = memory
        self._store = store
        self._agents = agents
        self._clock = clock or RealClock()

    async def start(self) -> None:
        """Do nothing: all collaborators are given."""

    async def stop(self) -> None:
        """Do nothing: there is nothing to close."""

    # ------------------------------------------------------------------ before a task
    async def recall(self, order: RecallOrder) -> Recall:
        """Return all that the task's scopes know, or what fits its goal where that is too much."""
        scopes, budget = scopes_of(order.run, order.task), self._settings.budget_tokens
        whole = _of_parts(await self._memory.known(scopes), order.settings)
        if order.settings.paper_exact or not order.settings.has("recall") or tokens_of_all(whole) <= budget:
            return Recall(memory=whole.told())
        found = await self._memory.search(scopes, order.task.goal, _count(whole))
        found, shown = _of_parts(found, order.settings), whole
        if tokens_of_all(whole) > self._settings.shown_tokens:
            shown = within(found, self._settings.shown_tokens)
        chosen, calls = await self._chosen(order, shown)
        told = within(best_first(chosen, found), budget)
        return Recall(memory=told.told(), calls=calls, left_out=_count(whole) - _count(told))

    async def _chosen(self, order: RecallOrder, shown: MemorySnapshot) -> tuple[MemorySnapshot, tuple[ModelCall, ...]]:
        """Return what the retriever chose; all that it was shown where it does not answer."""
        told = shown.told()
        brief = Brief(
            goal=order.task.goal,
            hints=order.task.hints,
            tips=told.tips,
            shortcuts=told.shortcuts,
            told=tuple(name for name in ALL_TOLD if order.settings.has(name)),
        )
        request = RecallRequest(brief=brief, phone="", size=_ANY_SIZE)
        context = CallContext(episode=order.episode, step=0, deadline=order.deadline)
        try:
            answered = await self._agents[Role.RECALL].answer(request, context)
        except (ModelError, CallError) as error:
            logger.warning("%s: nobody chose what it is to know: %s", order.episode, error)
            return shown, error.calls
        chosen: Recollection = answered.value
        kept = shown.model_copy(
            update={
                "tips": tuple(one for place, one in enumerate(shown.tips) if one.initial or place in chosen.tips),
                "shortcuts": tuple(
                    one for place, one in enumerate(shown.shortcuts) if one.initial or place in chosen.shortcuts
                ),
            }
        )
        return kept, answered.calls

    # ------------------------------------------------------------------ after a task
    async def learn(self, order: LearnOrder) -> Taught:
        """Have an episode teach, once. What fails costs the lesson alone, and stands in its journal.

        Raises StoreError where the journal cannot be read or written, and CallError where its store or the memory does
        not answer: it may be asked again.
        """
        scan = await self._store.read(order.episode, order.epoch)
        scope, began = _own_scope(order.run, order.task), self._clock.now()
        before = next((one for one in scan.records if isinstance(one, Learned)), None)
        if before is not None:
            return Taught(scope=before.scope, taken=before.taken, problem=before.problem)
        teaching, taken = _Teaching(self._agents, order), None
        try:
            taken = await self._taught(teaching, scope, scan.records, order)
        except StoreError as error:  # its file cannot be written, or read: the run goes on without this lesson
            teaching.problems.append(str(error))
        record = Learned(
            at=self._clock.now(),
            span=Span(start=began, end=self._clock.now()),
            scope=scope,
            taken=taken,
            calls=tuple(teaching.calls),
            problem="; ".join(teaching.problems)[:2000],
        )
        await self._store.append(order.episode, (record,), scan.next_seq, order.epoch)
        return Taught(scope=scope, taken=taken, problem=record.problem)

    async def _taught(
        self, teaching: _Teaching, scope: Scope, records: Sequence[Record], order: LearnOrder
    ) -> LessonTaken | None:
        """Return what the memory took in of a lesson; None where there was none."""
        for use in not_taken_in(records):
            await self._memory.used(use)
        history = history_of(records)
        if history is None:
            teaching.problems.append("it did nothing that was judged")
            return None
        snapshot = _of_parts(await self._memory.known(scopes_of(order.run, order.task)), order.settings)
        shown = snapshot if order.settings.paper_exact else within(snapshot, self._settings.shown_tokens)
        lesson = await teaching.lesson(scope, history, shown)
        return None if lesson is None else await self._memory.teach(lesson)


class _Teaching:
    """What one episode is asked for by its learners, who are asked side by side: neither needs the other's answer."""

    def __init__(self, agents: Mapping[Role, Agent[Any, Any]], order: LearnOrder) -> None:
        self.calls: list[ModelCall] = []
        self.problems: list[str] = []
        self._refused: list[Refusal] = []
        self._agents = agents
        self._order = order

    async def lesson(self, scope: Scope, history: History, shown: MemorySnapshot) -> Lesson | None:
        """Return what was learned; None where nothing was."""
        settings, told = self._order.settings, shown.told()
        names = {one.name for one in told.shortcuts}
        used = tuple(one for one in history.memory.shortcuts if one.name not in names)
        given = {
            "brief": Brief(goal=self._order.task.goal, tips=told.tips, shortcuts=(*told.shortcuts, *used)),
            "phone": history.serial,
            "size": history.size,
            "plan": history.plan,
            "progress": history.progress,
            "history": history.past,
            "future": self._order.future if settings.has("future-tasks") else (),
        }
        own = [one.text for one in shown.tips if one.scope == scope and not one.initial]
        asks_to_condense = not settings.paper_exact and condense(own)
        async with asyncio.TaskGroup() as group:
            of_tips = group.create_task(self._tips(given, history, told.tip_ids, asks_to_condense))
            of_shortcut = group.create_task(self._shortcut(given, history, settings))
        tips, (passed, source) = of_tips.result(), of_shortcut.result()
        if tips is None and passed is None and not self._refused:
            return None
        return Lesson(
            id=f"{self._order.episode}",
            scope=scope,
            made_from=shown.version,
            source=source,
            tips=tips,
            shortcuts=() if passed is None else (passed,),
            replace_whole=settings.paper_exact,
            refused=tuple(self._refused),
            private=history.private,
        )

    async def _tips(
        self, given: Mapping[str, Any], history: History, shown: tuple[str, ...], asks_to_condense: bool
    ) -> TaughtTips | None:
        """Return the whole list of tips as its learner would have it; None where it does not answer."""
        settings = self._order.settings
        if not settings.has("learn-tips") or not settings.has("tips"):
            return None
        request = LearnTipsRequest(**self._told(given, "tips"), condense=asks_to_condense)
        learned = await self._ask(Role.LEARN_TIPS, request, history)
        return None if learned is None else TaughtTips(shown=shown, tips=learned.tips)

    async def _shortcut(
        self, given: Mapping[str, Any], history: History, settings: EpisodeSettings
    ) -> tuple[Shortcut | None, LearnedFrom]:
        """Return a shortcut that passes the door, and where it was learned. A refusal is told the learner once."""
        source, refused = history.source(history.past[0].step), ""
        if not settings.has("learn-shortcuts") or not settings.has("shortcuts"):
            return None, source
        for _ in range(2):
            request = LearnShortcutsRequest(**self._told(given, "shortcuts"), refused=refused)
            learned = await self._ask(Role.LEARN_SHORTCUTS, request, history)
            if learned is None or learned.shortcut is None:
                return None, source
            try:
                private = (self._order.task.goal, history.notes)
                passed = pass_door(learned.shortcut, history.done, history.size, private)
            except ShortcutUnusable as error:
                refused = str(error)
                self.problems.append(refused)
                self._refused.append(Refusal(what=learned.shortcut.name, reason=refused, kind="shortcut"))
                continue
            return passed.shortcut, history.source(passed.step)
        return None, source

    def _told(self, given: Mapping[str, Any], own: Told) -> Mapping[str, Any]:
        """Return what a learner is given: no lists that are left out, and as in equations 8 and 9 its own alone."""
        settings = self._order.settings
        lists: tuple[Told, ...] = (own,) if settings.paper_exact else ("tips", "shortcuts")
        told = tuple(name for name in lists if settings.has(name))
        return {**given, "brief": given["brief"].model_copy(update={"told": told})}

    async def _ask(self, role: Role, request: Any, history: History) -> Any:
        """Return what a learner answered; None where it did not."""
        context = CallContext(episode=self._order.episode, step=history.past[-1].step, deadline=self._order.deadline)
        try:
            answered = await self._agents[role].answer(request, context)
        except (ModelError, CallError) as error:
            self.problems.append(f"{role.spec.agent}: {error}")
            self.calls += error.calls if isinstance(error, ErrorWithCalls) else ()
            return None
        self.calls += answered.calls
        return answered.value


def scopes_of(run: str, task: TaskSpec) -> Sequence[Scope]:
    """Return the scopes that a task reads: its own, its apps', the fleet's and the user's."""
    return (_own_scope(run, task), *(app_scope(app) for app in task.apps), FLEET, USER)


def _own_scope(run: str, task: TaskSpec) -> Scope:
    return run_scope(run) if task.memory_scope is None else task_scope(task.memory_scope)


def _of_parts(snapshot: MemorySnapshot, settings: EpisodeSettings) -> MemorySnapshot:
    """Return a snapshot without what nobody is told: what is left out takes nothing of a budget."""
    kept: dict[str, Any] = {}
    if not settings.has("tips"):
        kept["tips"] = tuple(one for one in snapshot.tips if one.initial)
    if not settings.has("shortcuts"):
        kept["shortcuts"] = tuple(one for one in snapshot.shortcuts if one.initial)
    return snapshot.model_copy(update=kept)


def _count(snapshot: MemorySnapshot) -> int:
    return len(snapshot.tips) + len(snapshot.shortcuts)
