"""Recall lessons before a task and learn after it (Mobile-Agent-E, sections 3.2 and 5.4)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from manyhands.actors.clock import Clock, RealClock
from manyhands.actors.interfaces import Agent, FleetMemory, Store
from manyhands.actors.learning.history import History, history_of
from manyhands.actors.learning.lesson_selection import (
    count_lessons,
    count_tokens,
    fit_budget,
    rank_by_search,
    without_ablated,
)
from manyhands.actors.learning.shortcut_validation import validate_shortcut
from manyhands.actors.memory.rules import needs_condensing
from manyhands.actors.memory.shortcut_uses import unrecorded_uses
from manyhands.actors.memory.shortcuts import ShortcutUnusable
from manyhands.protocol.base import Input
from manyhands.protocol.errors import CallError, ErrorWithCalls, ModelError, StoreError
from manyhands.protocol.journals.records import Learned, Record, Span
from manyhands.protocol.messages import CallContext, ModelCall
from manyhands.protocol.roles.learning import LearnOrder, Recall, RecallOrder, Taught
from manyhands.protocol.roles.lessons import (
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
from manyhands.protocol.roles.memory import Shortcut
from manyhands.protocol.roles.requests import (
    ALL_TOLD,
    Brief,
    LearnShortcutsRequest,
    LearnTipsRequest,
    RecallRequest,
    Recollection,
    Told,
)
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.tasks.task import TaskSpec

_ANY_SIZE = Size(width=1000, height=1000)
"""A placeholder for the size in a retriever's request, which has no coordinates."""
logger = logging.getLogger(__name__)


class TeacherSettings(Input):
    """Limit what retrievers and learners are shown."""

    budget_tokens: int = Field(default=3000, ge=100)
    """The most tokens of tips and shortcuts in a brief. If the scopes have more, a retriever chooses."""
    shown_tokens: int = Field(default=12_000, ge=100)
    """The most tokens of tips and shortcuts that a retriever or a learner is shown. If the scopes have more, a search
    chooses."""


class Teacher:
    """Implement ``actors.interfaces.Learning`` without state: journals and the memory hold all results."""

    def __init__(
        self,
        settings: TeacherSettings,
        memory: FleetMemory,
        store: Store,
        agents: Mapping[Role, Agent[Any, Any]],
        clock: Clock | None = None,
    ) -> None:
        """``agents``: the agents of the roles ``learn_tips``, ``learn_shortcuts`` and ``recall`` that the
        profile asks.
        """
        self._settings = settings
        self._memory = memory
        self._store = store
        self._agents = agents
        self._clock = clock or RealClock()

    async def start(self) -> None:
        """Do nothing: the collaborators are started elsewhere."""

    async def stop(self) -> None:
        """Do nothing: there is nothing to close."""

    # ------------------------------------------------------------------ before a task
    async def recall(self, order: RecallOrder) -> Recall:
        """Return all lessons of the task's scopes, or a retriever's selection if they exceed the budget.

        A task that names ``recall_scopes`` always gets a selection, because the task itself belongs to none of these
        scenarios (section 5.4).
        """
        scopes, budget = readable_scopes(order.run, order.task), self._settings.budget_tokens
        whole = without_ablated(await self._memory.known(scopes), order.settings)
        fits = order.settings.paper_exact or count_tokens(whole) <= budget
        if not order.settings.has("recall") or (fits and not order.task.recall_scopes):
            return Recall(memory=whole.for_episode())
        matches = await self._memory.search(scopes, order.task.goal, count_lessons(whole))
        matches, offered = without_ablated(matches, order.settings), whole
        if order.settings.paper_exact:  # two retrievers see all lessons, and their choice is not shortened
            selection, calls = await self._choose_apart(order, whole)
            return Recall(
                memory=selection.for_episode(), calls=calls, left_out=count_lessons(whole) - count_lessons(selection)
            )
        if count_tokens(whole) > self._settings.shown_tokens:
            offered = fit_budget(matches, self._settings.shown_tokens)
        selection, calls = await self._choose(order, offered, ALL_TOLD)
        fitting = fit_budget(rank_by_search(selection, matches), budget)
        return Recall(memory=fitting.for_episode(), calls=calls, left_out=count_lessons(whole) - count_lessons(fitting))

    async def _choose_apart(
        self, order: RecallOrder, offered: MemorySnapshot
    ) -> tuple[MemorySnapshot, tuple[ModelCall, ...]]:
        """Return the selection of two retrievers, one for tips and one for shortcuts. Each is shown its own list.

        They are not shown the task's hints, which the paper does not have.
        """
        async with asyncio.TaskGroup() as group:
            of_tips = group.create_task(self._choose(order, offered, ("tips",)))
            of_shortcuts = group.create_task(self._choose(order, offered, ("shortcuts",)))
        (tips, first), (shortcuts, second) = of_tips.result(), of_shortcuts.result()
        return tips.model_copy(update={"shortcuts": shortcuts.shortcuts}), (*first, *second)

    async def _choose(
        self, order: RecallOrder, offered: MemorySnapshot, lists: Sequence[Told]
    ) -> tuple[MemorySnapshot, tuple[ModelCall, ...]]:
        """Return the retriever's selection from these lists.

        If the retriever does not answer, return all that it was shown.
        """
        episode_memory = offered.for_episode()
        brief = Brief(
            goal=order.task.goal,
            hints=order.task.hints,
            tips=episode_memory.tips,
            shortcuts=episode_memory.shortcuts,
            told=tuple(name for name in lists if order.settings.has(name)),
        )
        request = RecallRequest(brief=brief, phone="", size=_ANY_SIZE)
        context = CallContext(episode=order.episode, step=0, deadline=order.deadline)
        try:
            answered = await self._agents[Role.RECALL].answer(request, context)
        except (ModelError, CallError) as error:
            logger.warning("%s: nobody chose what it is to know: %s", order.episode, error)
            return offered, error.calls
        recollection: Recollection = answered.value
        stays = not order.settings.paper_exact  # in the paper retrievers choose among the initial lessons, too
        selection = offered.model_copy(
            update={
                "tips": tuple(
                    one
                    for place, one in enumerate(offered.tips)
                    if (stays and one.initial) or place in recollection.tips
                ),
                "shortcuts": tuple(
                    one
                    for place, one in enumerate(offered.shortcuts)
                    if (stays and one.initial) or place in recollection.shortcuts
                ),
            }
        )
        return selection, answered.calls

    # ------------------------------------------------------------------ after a task
    async def learn(self, order: LearnOrder) -> Taught:
        """Make the lesson of an episode once, and append it to the journal. If that fails, only the lesson is lost.

        Raises StoreError if the journal cannot be read or written, and CallError if the store or the memory does not
        answer. After these errors the caller may try again.
        """
        scan = await self._store.read(order.episode, order.epoch)
        scope, began = _own_scope(order.run, order.task), self._clock.now()
        before = next((one for one in scan.records if isinstance(one, Learned)), None)
        if before is not None:
            return Taught(scope=before.scope, taken=before.taken, problem=before.problem)
        learners, lesson = _LearnerRequests(self._agents, order), None
        try:
            lesson = await self._make_lesson(learners, scope, scan.records, order)
        # The memory's file cannot be read or written. The run continues without this lesson.
        except StoreError as error:
            learners.problems.append(str(error))
        record = Learned(
            at=self._clock.now(),
            span=Span(start=began, end=self._clock.now()),
            scope=scope,
            taken=lesson,
            calls=tuple(learners.calls),
            problem="; ".join(learners.problems)[:2000],
        )
        await self._store.append(order.episode, (record,), scan.next_seq, order.epoch)
        return Taught(scope=scope, taken=lesson, problem=record.problem)

    async def _make_lesson(
        self, learners: _LearnerRequests, scope: Scope, records: Sequence[Record], order: LearnOrder
    ) -> LessonTaken | None:
        """Return what a lesson changed in the memory. Return None if there was no lesson."""
        for use in unrecorded_uses(records):
            await self._memory.used(use)
        history = history_of(records)
        if history is None:
            learners.problems.append("it did nothing that was judged")
            return None
        snapshot = without_ablated(await self._memory.known(readable_scopes(order.run, order.task)), order.settings)
        offered = snapshot if order.settings.paper_exact else fit_budget(snapshot, self._settings.shown_tokens)
        lesson = await learners.lesson(scope, history, offered)
        return None if lesson is None else await self._memory.teach(lesson)


class _LearnerRequests:
    """Ask the two learners about one episode at the same time. Neither needs the other's answer."""

    def __init__(self, agents: Mapping[Role, Agent[Any, Any]], order: LearnOrder) -> None:
        self.calls: list[ModelCall] = []
        self.problems: list[str] = []
        self._refused: list[Refusal] = []
        self._agents = agents
        self._order = order

    async def lesson(self, scope: Scope, history: History, offered: MemorySnapshot) -> Lesson | None:
        """Return the lesson. Return None if nothing was learned."""
        settings, episode_memory = self._order.settings, offered.for_episode()
        names = {one.name for one in episode_memory.shortcuts}
        used = tuple(one for one in history.memory.shortcuts if one.name not in names)
        arguments = {
            "brief": Brief(
                goal=self._order.task.goal, tips=episode_memory.tips, shortcuts=(*episode_memory.shortcuts, *used)
            ),
            "phone": history.serial,
            "size": history.size,
            "plan": history.plan,
            "progress": history.progress,
            "history": history.past,
            "future": self._order.future if settings.has("future-tasks") else (),
        }
        own = [one.text for one in offered.tips if one.scope == scope and not one.initial]
        asks_to_condense = not settings.paper_exact and needs_condensing(own)
        async with asyncio.TaskGroup() as group:
            of_tips = group.create_task(self._tips(arguments, history, episode_memory.tip_ids, asks_to_condense))
            of_shortcuts = group.create_task(self._shortcuts(arguments, history, settings))
        tips, learned = of_tips.result(), of_shortcuts.result()
        if tips is None and not learned and not self._refused:
            return None
        return Lesson(
            id=f"{self._order.episode}",
            scope=scope,
            made_from=offered.version,
            source=history.source(history.past[0].step),
            tips=tips,
            shortcuts=tuple(shortcut for shortcut, _ in learned),
            sources=tuple(source for _, source in learned),
            replace_whole=settings.paper_exact,
            refused=tuple(self._refused),
            private=history.personal_texts,
        )

    async def _tips(
        self, arguments: Mapping[str, Any], history: History, tip_ids: tuple[str, ...], asks_to_condense: bool
    ) -> TaughtTips | None:
        """Return the learner's new list of tips. Return None if it does not answer."""
        settings = self._order.settings
        if not settings.has("learn-tips") or not settings.has("tips"):
            return None
        request = LearnTipsRequest(**self._request_arguments(arguments, "tips"), condense=asks_to_condense)
        learned = await self._ask(Role.LEARN_TIPS, request, history)
        return None if learned is None else TaughtTips(shown=tip_ids, tips=learned.tips)

    async def _shortcuts(
        self, arguments: Mapping[str, Any], history: History, settings: EpisodeSettings
    ) -> Sequence[tuple[Shortcut, LearnedFrom]]:
        """Return the validated shortcuts, each with its origin. The learner is told once what was refused, and why.

        With ``paper_exact`` all shortcuts are kept as written, because a shortcut of the paper lacks a tap (appendix C,
        figure 11).
        """
        if not settings.has("learn-shortcuts") or not settings.has("shortcuts"):
            return ()
        passed: dict[str, tuple[Shortcut, LearnedFrom]] = {}
        refused: list[str] = []
        for _ in range(2):
            request = LearnShortcutsRequest(
                **self._request_arguments(arguments, "shortcuts"),
                refused="; ".join(refused),
                paper_exact=settings.paper_exact,
            )
            learned = await self._ask(Role.LEARN_SHORTCUTS, request, history)
            if learned is None:
                break
            if settings.paper_exact:
                source = history.source(history.past[0].step)
                return [(shortcut, source) for shortcut in learned.shortcuts]
            refused = []
            for shortcut in learned.shortcuts:
                try:
                    private = (self._order.task.goal, history.notes)
                    validated = validate_shortcut(shortcut, history.executed, history.size, private)
                except ShortcutUnusable as error:
                    refused.append(str(error))
                    self._refused.append(Refusal(what=shortcut.name, reason=str(error), kind="shortcut"))
                else:
                    passed[shortcut.name] = validated.shortcut, history.source(validated.step)
            self.problems += refused
            if not refused:
                break
        return tuple(passed.values())

    def _request_arguments(self, arguments: Mapping[str, Any], own: Told) -> Mapping[str, Any]:
        """Return the arguments of a learner's request without ablated lists.

        With ``paper_exact`` a learner sees its own list alone, as in equations 8 and 9.
        """
        settings = self._order.settings
        lists: tuple[Told, ...] = (own,) if settings.paper_exact else ("tips", "shortcuts")
        lists_told = tuple(name for name in lists if settings.has(name))
        return {**arguments, "brief": arguments["brief"].model_copy(update={"told": lists_told})}

    async def _ask(self, role: Role, request: Any, history: History) -> Any:
        """Return a learner's answer. Return None if it gave none."""
        context = CallContext(episode=self._order.episode, step=history.past[-1].step, deadline=self._order.deadline)
        try:
            answered = await self._agents[role].answer(request, context)
        except (ModelError, CallError) as error:
            self.problems.append(f"{role.spec.agent}: {error}")
            self.calls += error.calls if isinstance(error, ErrorWithCalls) else ()
            return None
        self.calls += answered.calls
        return answered.value


def readable_scopes(run: str, task: TaskSpec) -> Sequence[Scope]:
    """Return the scopes that a task reads: its own, those it recalls from, its apps', the fleet's, the user's."""
    recalled = (task_scope(name) for name in task.recall_scopes)
    return (_own_scope(run, task), *recalled, *(app_scope(app) for app in task.apps), FLEET, USER)


def _own_scope(run: str, task: TaskSpec) -> Scope:
    return run_scope(run) if task.memory_scope is None else task_scope(task.memory_scope)
