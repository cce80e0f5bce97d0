"""Plays whole episodes between a virtual phone and the rehearsed model, without hosts, adb or HTTP.

Prompts are the real ones, rendered by the real templates from the real requests; replies are read by the real
parsers. Two pairs of eyes: the true layout (quick), or OCR on the pixels.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import jsonschema

from manyhands.actors.frames import ModelImage
from manyhands.actors.learning.shortcut_validation import ExecutedStep
from manyhands.actors.memory import ShortcutUnusable, expand_shortcut, initial_memory
from manyhands.actors.mllm import Prompt, dialect_named, parse
from manyhands.actors.mllm.request.actions import NotAnAction, read_action
from manyhands.actors.mllm.request.bodies import recorded_body, wire_body
from manyhands.actors.mllm.request.dialects import OutsideScreen
from manyhands.actors.mllm.settings import ModelSettings
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import Notetaker, Operator, Planner, Reflector
from manyhands.actors.roles.learners import ShortcutsLearner, TipsLearner, Verifier
from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.learners import LearnShortcutsReply, LearnTipsReply, PermitReply
from manyhands.protocol.roles.memory import LongTermMemory, Shortcut
from manyhands.protocol.roles.requests import (
    Brief,
    DecideRequest,
    LearnShortcutsRequest,
    LearnTipsRequest,
    NoteRequest,
    PastAction,
    PermitRequest,
    Plan,
    PlanRequest,
    Reflection,
    ReflectRequest,
    ReplyContext,
)
from manyhands.protocol.roles.role import AddedNotesReply, DecideReply, PlanReply, ReflectChangeReply, Role
from manyhands.protocol.roles.sections import Section, heading
from manyhands.protocol.screens import actions
from manyhands.protocol.screens.actions import Action
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Element, Screen, Screenshot
from manyhands.protocol.tasks.predicates import holds
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.rehearsal.model import RehearsedModel
from manyhands.simulator.rehearsal.request import parse_request
from manyhands.simulator.suites.play import KEYS

MEMORY = initial_memory()
DIALECT = dialect_named("qwen3-vl")
SETTINGS = ModelSettings(urls=("http://127.0.0.1:1/v1",), model="rehearsed")
HISTORY, STUCK_AFTER = 5, 2
MOMENT_S = 1.5
WALL = datetime(2026, 11, 20, 9, 41)
SIZE = Size(width=1080, height=2400)

Ask = Callable[[bytes, dict[str, str]], Awaitable[str]]
"""A request's body and headers; the text of the answer."""
Look = Callable[[VirtualPhone], Awaitable[tuple[ModelImage, tuple[Element, ...]]]]
"""The image for the model and the elements for the operator."""


@dataclass
class Moment:
    """A screen: what the model is shown of it, and what perception says."""

    image: ModelImage
    screenshot: Screenshot
    screen: Screen


@dataclass
class Played:
    """How an episode went."""

    ending: str
    verified: bool
    rubrics: dict[str, bool]
    steps: int
    changes: int = 0
    """Steps before which the plan changed its subgoal, the first plan not counted."""
    log: list[str] = field(default_factory=list)
    subgoals: list[tuple[str, str]] = field(default_factory=list)
    """The plan's change and subgoal, step by step."""

    def __str__(self) -> str:
        return "\n".join([f"{self.ending}, verified={self.verified}, {self.steps} steps", *self.log])


def in_process(model: RehearsedModel) -> Ask:
    """Asks without HTTP; the body is parsed as the server would, the reply checked against the schema sent."""

    async def ask(body: bytes, headers: dict[str, str]) -> str:
        read = json.loads(body)
        written = await model.answer(parse_request(read, headers))
        if written.finish == "stop":
            jsonschema.validate(json.loads(written.text), read["response_format"]["json_schema"]["schema"])
        return written.text

    return ask


class Episode:
    """One task on one phone.

    ``dropped``: a section that is cut out of every prompt. ``moment_s``: time between an action and the picture.
    ``permits``: whether the verifier is asked before a shortcut. ``answer``: what a person answers the model.
    """

    def __init__(
        self,
        task: TaskSpec,
        ask: Ask,
        look: Look,
        dropped: Section | None = None,
        moment_s: float = MOMENT_S,
        memory: LongTermMemory = MEMORY,
        permits: bool = False,
        size: Size = SIZE,
        answer: str = "",
    ) -> None:
        self.now = 1000.0
        self.task, self._ask, self._look, self._dropped = task, ask, look, dropped
        self.memory, self._permits, self.size, self._answer = memory, permits, size, answer
        density = round(420 * size.width / 1080)
        self.phone = VirtualPhone(
            task.reset_seed or 0, size.width, size.height, density, clock=lambda: self.now, wall=lambda: WALL
        )
        self._prompts = Prompts(DIALECT)
        self._moment_s = moment_s
        self._step = 0
        self._plan: Plan | None = None
        self._progress = ""
        self._notes: list[str] = [""]
        """After each step; plans and decisions read all but the last (as every schedule but ``letter`` does)."""
        self._past: list[PastAction] = []
        self._decided: list[Action | None] = []
        self._seen: set[str] = set()
        self.played = Played("", False, {}, 0)
        self.calls: Counter[Role] = Counter()
        self.done: list[ExecutedStep] = []

    # ------------------------------------------------------------------ the loop
    async def play(self) -> Played:
        before = await self._capture()
        while True:
            ending = await self._one_step(before)
            if ending and ending.endswith("_limit"):
                ending = await self._planned_ending(self._after) or ending
            if ending:
                return self._end(ending)
            before = self._after

    async def _planned_ending(self, now: Moment) -> str | None:
        """What the planner ends the episode with, if it does; it is asked at a limit too."""
        await self._make_plan(now)
        status = self._plan.status if self._plan else "continue"
        return {"finished": "finished", "impossible": "impossible"}.get(status)

    async def _one_step(self, before: Moment) -> str | None:
        ending = await self._planned_ending(before)
        if ending:
            return ending
        action, expectation, problem = await self._decide(before)
        if action is not None:
            problem = await self._forbidden(before, action) or self._act(action)
        else:
            problem = problem or "no action"
        self.now += self._moment_s
        self._after = await self._capture()
        if isinstance(action, actions.AskPerson):
            words = f'The user answers: "{self._answer}"'
            reflection = Reflection(outcome=Outcome.A, error="", progress=words, made_by="check", check="answered")
        else:
            reflection = await self._verify(before, action, expectation, problem)
        self._remember(action, expectation, reflection)
        self.done.append(ExecutedStep(self._step, action, reflection.outcome, before.screen))
        await self._take_note(reflection)
        self._count_rubrics()
        if isinstance(action, actions.Stop):
            return "finished"
        return self._limit()

    def _end(self, ending: str) -> Played:
        state = self.phone.state()
        assert self.task.check is not None
        self.played.ending, self.played.steps = ending, self._step
        self.played.verified = holds(self.task.check.holds, state)
        self.played.rubrics = {rubric.name: rubric.name in self._seen for rubric in self.task.rubrics}
        return self.played

    def _limit(self) -> str | None:
        limits, equal = self.task.limits, 0
        for action, past in zip(reversed(self._decided), reversed(self._past), strict=False):
            if action is None or action != self._decided[-1] or action.repeatable:
                break
            equal += past.outcome is not Outcome.A
        failures = next(
            (i for i, past in enumerate(reversed(self._past)) if past.outcome is Outcome.A), len(self._past)
        )
        self._step += 1
        if failures >= limits.max_failures:
            return "failure_limit"
        if equal >= limits.max_repeats:
            return "repeat_limit"
        return "step_limit" if self._step >= limits.max_steps else None

    # ------------------------------------------------------------------ the stages
    async def _capture(self) -> Moment:
        image, elements = await self._look(self.phone)
        keyboard = "shown" if self.phone.keyboard_shown() else "hidden"
        screenshot = Screenshot(
            content_id=image.content_id,
            size=self.size,
            serial="virtual",
            taken_at=self.now,
            capture_ms=0,
            keyboard=keyboard,
        )
        screen = Screen(content_id=image.content_id, size=self.size, elements=elements, keyboard=keyboard)
        return Moment(image, screenshot, screen)

    @property
    def _brief(self) -> Brief:
        return Brief(goal=self.task.goal, hints=self.task.hints, tips=self.memory.tips, shortcuts=self.memory.shortcuts)

    async def _make_plan(self, now: Moment) -> None:
        failed = [past for past in self._past[-STUCK_AFTER:] if past.outcome is not Outcome.A]
        request = PlanRequest(
            brief=self._brief,
            previous=self._plan,
            progress=self._progress,
            notes=self._known_notes,
            failures=tuple(failed) if len(failed) == STUCK_AFTER else (),
            screenshot=now.screenshot,
        )
        first = self._plan is None
        try:
            prompt = Planner.prompt(self._prompts, request, [now.image])
            reply = parse(PlanReply, await self._reply(Role.PLAN, PlanReply, prompt))
            self._plan = Planner.read(reply, ReplyContext(size=self.size, previous=self._plan), DIALECT)
        except ReplyUnusable:
            return
        if self._plan.status == "continue":
            self.played.changes += self._plan.change != "keep" and not first
            self.played.subgoals.append((self._plan.change, self._plan.subgoal.text))
        self.played.log.append(f"{self._step:2} PLAN {reply.status} {reply.change}: {reply.subgoal}  [{reply.thought}]")

    async def _forbidden(self, now: Moment, action: Action) -> str | None:
        """Why the verifier does not permit an action; None for all others."""
        if not self._permits or not isinstance(action, actions.RunShortcut):
            return None
        shortcut = next(one for one in self.memory.shortcuts if one.name == action.shortcut)
        request = PermitRequest(
            brief=self._brief,
            screenshot=now.screenshot,
            screen=now.screen,
            shortcut=shortcut,
            arguments=dict(action.arguments),
        )
        text = await self._reply(Role.PERMIT, PermitReply, Verifier.prompt(self._prompts, request, [now.image]))
        permit = Verifier.read(parse(PermitReply, text), ReplyContext(size=self.size), DIALECT)
        self.played.log.append(f"{self._step:2} PERMIT {permit!r}")
        return None if permit.holds else f"not permitted: {permit.reason}"

    # ------------------------------------------------------------------ after the task
    async def learn_shortcuts(self, future: Sequence[str] = ()) -> tuple[Shortcut, ...]:
        """The shortcuts that the learner proposes."""
        prompt = ShortcutsLearner.prompt(self._prompts, LearnShortcutsRequest(**self._lesson(future)), [])
        text = await self._reply(Role.LEARN_SHORTCUTS, LearnShortcutsReply, prompt)
        return ShortcutsLearner.read(parse(LearnShortcutsReply, text), ReplyContext(size=self.size), DIALECT).shortcuts

    async def learn_tips(self, future: Sequence[str] = ()) -> tuple[str, ...]:
        """The tips that are to be known from now on."""
        prompt = TipsLearner.prompt(self._prompts, LearnTipsRequest(**self._lesson(future)), [])
        text = await self._reply(Role.LEARN_TIPS, LearnTipsReply, prompt)
        return TipsLearner.read(parse(LearnTipsReply, text), ReplyContext(size=self.size), DIALECT).tips

    def _lesson(self, future: Sequence[str]) -> dict[str, Any]:
        return {
            "brief": self._brief,
            "phone": "virtual",
            "size": self.size,
            "plan": self._plan.text if self._plan else "",
            "progress": self._progress,
            "history": tuple(self._past),
            "future": tuple(future),
        }

    async def _decide(self, now: Moment) -> tuple[Action | None, str, str | None]:
        if self._plan is None:
            return None, "", "There is no plan yet"
        request = DecideRequest(
            brief=self._brief,
            plan=self._plan,
            progress=self._progress,
            notes=self._known_notes,
            screenshot=now.screenshot,
            screen=now.screen,
            history=tuple(self._past[-HISTORY:]),
        )
        text = await self._reply(Role.DECIDE, DecideReply, Operator.prompt(self._prompts, request, [now.image]))
        try:
            reply = parse(DecideReply, text)
            action = read_action(reply.action, DIALECT, self.size, self.memory.shortcuts)
        except (ReplyUnusable, NotAnAction, OutsideScreen, ShortcutUnusable) as error:
            self.played.log.append(f"{self._step:2} DECIDE not valid: {error}")
            return None, "", f"not a valid action: {error}"
        self.played.log.append(f"{self._step:2} DECIDE {action!r}  [{reply.thought}] -> {reply.expectation}")
        return action, reply.expectation, None

    async def _verify(self, before: Moment, action: Action | None, expectation: str, problem: str | None) -> Reflection:
        same = before.image.content_id == self._after.image.content_id
        outcome = Outcome.C if same else Outcome.B
        if problem is not None:
            reflection = Reflection(outcome=outcome, error=problem, progress=self._progress, made_by="check")
        elif same and action is not None and action.touches:
            reflection = Reflection(
                outcome=Outcome.C, error="Nothing changed", progress=self._progress, made_by="check"
            )
        else:
            assert action is not None
            reflection = await self._reflect(before, action, expectation)
        self.played.log.append(f"{self._step:2} VERIFY {reflection.outcome} {reflection.error}")
        return reflection

    async def _reflect(self, before: Moment, action: Action, expectation: str) -> Reflection:
        assert self._plan is not None
        request = ReflectRequest(
            brief=self._brief,
            subgoal=self._plan.subgoal.text,
            progress=self._progress,
            action=action,
            expectation=expectation,
            before=before.screenshot,
            after=self._after.screenshot,
            screen_before=before.screen,
            screen_after=None,
        )
        prompt = Reflector.prompt(self._prompts, request, [before.image, self._after.image])
        text = await self._reply(Role.REFLECT, ReflectChangeReply, prompt)
        try:
            return Reflector.read(
                parse(ReflectChangeReply, text), ReplyContext(size=self.size, progress=self._progress), DIALECT
            )
        except ReplyUnusable as error:
            return Reflection(outcome=Outcome.B, error=str(error), progress=self._progress, made_by="check")

    def _remember(self, action: Action | None, expectation: str, reflection: Reflection) -> None:
        self._progress = reflection.progress
        self._decided.append(action)
        self._past.append(
            PastAction(
                step=self._step,
                action=action,
                expectation=expectation,
                outcome=reflection.outcome,
                error=reflection.error,
            )
        )

    async def _take_note(self, reflection: Reflection) -> None:
        notes = self._notes[-1]
        if reflection.outcome is Outcome.A:
            assert self._plan is not None
            request = NoteRequest(
                brief=self._brief,
                plan=self._plan.text,
                subgoal=self._plan.subgoal.text,
                progress=self._progress,
                notes=notes,
                screenshot=self._after.screenshot,
                screen=self._after.screen,
            )
            text = await self._reply(
                Role.NOTE, AddedNotesReply, Notetaker.prompt(self._prompts, request, [self._after.image])
            )
            try:
                notes = Notetaker.read(parse(AddedNotesReply, text), request.reply_context, DIALECT).text
            except ReplyUnusable:
                self.played.log.append(f"{self._step:2} NOTE unusable")
        if notes != self._notes[-1]:
            self.played.log.append(f"{self._step:2} NOTES {notes!r}")
        self._notes.append(notes)

    @property
    def _known_notes(self) -> str:
        return self._notes[-2] if len(self._notes) > 1 else ""

    def _count_rubrics(self) -> None:
        state = self.phone.state()
        self._seen |= {rubric.name for rubric in self.task.rubrics if holds(rubric.holds, state)}

    # ------------------------------------------------------------------ the model and the phone
    async def _reply(self, role: Role, reply: type[Reply], prompt: Prompt) -> str:
        self.calls[role] += 1
        recorded: dict[str, Any] = recorded_body(SETTINGS, role, reply, prompt)
        if self._dropped is not None:
            system, user = recorded["messages"]
            system["content"] = without_section(system["content"], self._dropped)
            for part in user["content"]:
                if part["type"] == "text":
                    part["text"] = without_section(part["text"], self._dropped)
        body = wire_body(recorded, {image.content_id: image.jpeg for image in prompt.images})
        return await self._ask(body, {"x-manyhands-step": str(self._step), "x-manyhands-episode": self.task.id})

    def _act(self, action: Action) -> str | None:
        atoms: Sequence[Any] = [action]
        if isinstance(action, actions.RunShortcut):
            shortcut = next(one for one in self.memory.shortcuts if one.name == action.shortcut)
            atoms = expand_shortcut(shortcut, action.arguments, self.size)
        for atom in atoms:
            found = clicked(self.phone, atom) if isinstance(atom, actions.ClickText) else atom
            problem = found if isinstance(found, str) else perform(self.phone, found)
            if problem is not None:
                return problem
            self.now += atom.seconds if isinstance(atom, actions.Wait) else self._moment_s
        return None


def clicked(phone: VirtualPhone, click: actions.ClickText) -> actions.Tap | str:
    """A tap on the one place where a text stands, or why there is none."""
    boxes = [box for text, box in phone.layout() if text.casefold() == click.text.casefold()]
    if len(boxes) != 1:
        return f"the text {click.text!r} stands on the screen {len(boxes)} times"
    return actions.Tap(x=boxes[0].x + boxes[0].w // 2, y=boxes[0].y + boxes[0].h // 2)


def perform(phone: VirtualPhone, atom: actions.AtomicAction) -> str | None:
    """Carry out an atom as the adb gateway would; why it was refused, if it was."""
    match atom:
        case actions.Tap():
            phone.tap(atom.x, atom.y)
        case actions.LongPress():
            phone.long_press(atom.x, atom.y, atom.ms)
        case actions.Swipe():
            phone.swipe(atom.x1, atom.y1, atom.x2, atom.y2, atom.ms)
        case actions.Type():
            if atom.clear:
                phone.ime_clear()
            phone.ime_commit(atom.text)
        case actions.Enter() | actions.Back() | actions.Home():
            phone.key(KEYS[atom.name.lower()])
        case actions.SwitchApp():
            phone.key(187)
        case actions.OpenApp():
            package = next((app.package for app in phone.apps() if app.label == atom.app), None)
            if package is None:
                return f"no app is called {atom.app!r}"
            phone.launch(package)
        case _:
            return None
    return None


def without_section(prompt: str, section: Section) -> str:
    """The prompt without a heading and the lines below it."""
    lines, kept, inside = prompt.split("\n"), [], False
    for line in lines:
        if line.startswith("### "):
            inside = line == heading(section)
        if not inside:
            kept.append(line)
    return "\n".join(kept)
