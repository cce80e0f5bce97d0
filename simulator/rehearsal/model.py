"""Answer requests as the rehearsed model: a request in, the text of a reply out. The HTTP server uses it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Literal

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.learners import LearnShortcutsReply, LearnTipsReply, PermitReply, RecallReply
from manyhands.protocol.roles.replies import ActingReply
from manyhands.protocol.roles.role import (
    AddedNotesReply,
    DecideReply,
    JudgeReply,
    NoteReply,
    PlanReply,
    ReflectChangeReply,
    ReflectChangeSubgoalReply,
    ReflectReply,
    ReflectSubgoalReply,
    Role,
)
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.family_form import in_family_form, in_our_form
from manyhands.simulator.rehearsal.mistakes import Mistake, Occasion, drawn_mistake
from manyhands.simulator.rehearsal.obedience import Obedience
from manyhands.simulator.rehearsal.pages import Page
from manyhands.simulator.rehearsal.profiles.rehearsals import Question, declared_rehearsals
from manyhands.simulator.rehearsal.prompt import ListedPage, Reading
from manyhands.simulator.rehearsal.reader import Reader
from manyhands.simulator.rehearsal.request import ModelRequest
from manyhands.simulator.rehearsal.roles.answerer import answer
from manyhands.simulator.rehearsal.roles.judge import judge, opposite
from manyhands.simulator.rehearsal.roles.learners import learn_shortcuts, learn_tips
from manyhands.simulator.rehearsal.roles.notetaker import note
from manyhands.simulator.rehearsal.roles.operator import decide
from manyhands.simulator.rehearsal.roles.planner import plan
from manyhands.simulator.rehearsal.roles.reflector import reflect
from manyhands.simulator.rehearsal.roles.retriever import recall
from manyhands.simulator.rehearsal.roles.verifier import permit
from manyhands.simulator.rehearsal.script import OBEYS, Scripts
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from manyhands.simulator.rehearsal.text_pages import text_pages
from manyhands.simulator.serving.plain_reply import plain_reply

JudgingReply = ReflectReply | ReflectChangeReply
_OF_EVERY_ROLE: tuple[type[Reply], ...] = (
    *(PlanReply, DecideReply, ReflectReply, ReflectChangeReply, NoteReply, AddedNotesReply),
    *(LearnTipsReply, LearnShortcutsReply, RecallReply, PermitReply, JudgeReply),
)
"""The types of replies that the model can write for every profile. For other types, a profile has a rehearsal of its
own, or the reply is the simplest valid one."""
_ASKS_SUBGOAL = (ReflectSubgoalReply, ReflectChangeSubgoalReply)
_NOT_ASKED = "I am a rehearsed stand-in for a model. I answer the role prompts that I have rehearsed, and this is none."


@dataclass(frozen=True, slots=True)
class Written:
    """Hold what the model wrote, and why it stopped."""

    text: str
    finish: Literal["stop", "length"] = "stop"


class RehearsedModel:
    """Answer requests. Between them it keeps only its reader's cache of images and, if obedient, orders of screens."""

    def __init__(self, scripts: Scripts, reader: Reader, settings: RehearsalSettings) -> None:
        self._scripts = scripts
        self._reader = reader
        self._settings = settings
        self._rehearsals = tuple(declared_rehearsals())
        self._obedience = Obedience() if settings.obedient else None

    async def answer(self, request: ModelRequest) -> Written:
        """Return the answer to a request. Raises UnreadableImage, ReaderLost."""
        request = in_our_form(request)
        if request.role is None:
            return Written(_NOT_ASKED)
        reading = Reading(request.sections)
        occasion = self._occasion(request, request.role, reading)
        wanted = registered_profiles().reply_types.get(request.wanted)
        scripts = await self._scripts_for(request, reading)
        question = Question(request.role, wanted, reading, request.conversation, scripts, form=request.form)
        rehearsal = next((one for one in self._rehearsals if one.is_asked(question)), None)
        pages: list[Page] = []
        if Section.ANSWER in request.sections:  # in every profile
            rehearsal, pages = None, await self._pages(request)
            refused = sum(said.by == "assistant" for said in request.conversation)
            reply: Reply = answer(reading, self._scripts, pages[-1] if pages else None, refused)
        elif rehearsal is not None:
            pages = await self._pages(request)
            reply = rehearsal.reply(replace(question, pages=pages))
        else:
            reply = await self._reply(request, question, occasion)
        if self._obedience is not None and request.step is not None and hasattr(reply, "action"):
            self._obedience.note_decision(request.episode, request.step, OBEYS in getattr(reply, "thought", ""))
        mistake = drawn_mistake(occasion, self._settings.mistakes)
        if mistake is Mistake.WRONG_OUTCOME and rehearsal is not None:
            reply = rehearsal.mistaken(reply, occasion.draw("outcome", 2))
        elif mistake is not None:
            wrong = None
            if mistake is Mistake.WRONG_TAP and rehearsal is not None:
                wrong = rehearsal.wrong_action(reply, pages, occasion.draw)
            reply = wrong or _with_mistake(mistake, reply, reading, occasion)
        if request.form:
            text = in_family_form(reply, request.form)
        else:
            text = reply.model_dump_json(exclude_unset=True)  # the request may not offer arguments that are not set
        if mistake is Mistake.MALFORMED:
            return Written(text[: len(text) * 3 // 5], "length")
        is_whole = request.constrained or bool(request.form)
        return Written(text if is_whole else f"```json\n{_indented(text)}\n```")

    async def _scripts_for(self, request: ModelRequest, reading: Reading) -> Scripts:
        """Return the scripts, for an obedient model with what this or an earlier request of the episode ordered."""
        if self._obedience is None or request.step is None:
            return self._scripts
        self._obedience.read(request.episode, request.step, reading, await self._pages(request))
        if request.role is not Role.DECIDE:
            return self._scripts
        return self._scripts.obeying(self._obedience.next_operation(request.episode, request.step))

    def _occasion(self, request: ModelRequest, role: Role, reading: Reading) -> Occasion:
        moment = str(request.step) if request.step is not None else _digest(request.sections)
        goal = " ".join(reading.text(Section.GOAL).split())
        return Occasion(self._settings.seed, goal, role, moment, request.attempt)

    async def _pages(self, request: ModelRequest) -> list[Page]:
        if not request.images:
            return list(text_pages(request.conversation))
        return [await self._reader.read(image) for image in request.images]

    async def _reply(self, request: ModelRequest, question: Question, occasion: Occasion) -> Reply:
        """Return the reply of a role for which no profile has its own rehearsal."""
        role, wanted, reading = question.role, question.wanted, question.reading
        if wanted is not None and not issubclass(wanted, _OF_EVERY_ROLE):
            return plain_reply(wanted)
        if role is Role.DECIDE:
            return decide(reading, question.scripts, self._settings.lessons)
        pages = await self._pages(request)
        last = pages[-1] if pages else None
        if role is Role.PLAN:
            return plan(reading, self._scripts, last, occasion.draw("wording", 1000))
        if role is Role.REFLECT:
            asks_subgoal = reading.asks_subgoal if wanted is None else issubclass(wanted, _ASKS_SUBGOAL)
            return reflect(reading, self._scripts, pages, asks_subgoal, _is_asked(ReflectChangeReply, wanted, reading))
        if role is Role.NOTE:
            return note(reading, self._scripts, last, _is_asked(AddedNotesReply, wanted, reading))
        if role is Role.PERMIT:
            return permit(reading, last)
        if role is Role.JUDGE:
            return judge(reading, pages)
        if role is Role.RECALL:
            return recall(reading)
        if role is Role.LEARN_TIPS:
            return learn_tips(reading, self._scripts, self._settings.lessons)
        if role is Role.LEARN_SHORTCUTS:
            return learn_shortcuts(reading, self._scripts, self._settings.lessons)
        return plain_reply(role.spec.replies[0])


def _is_asked(reply: type[Reply], wanted: type[Reply] | None, reading: Reading) -> bool:
    """Return whether a request asks for a reply of this type: by its schema, or by what its prompt explains."""
    return reading.asks_for(reply) if wanted is None else issubclass(wanted, reply)


def _digest(sections: object) -> str:
    return hashlib.blake2b(repr(sections).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _indented(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False, indent=1)


# ---------------------------------------------------------------------------- mistakes
def _with_mistake(mistake: Mistake, reply: Reply, reading: Reading, occasion: Occasion) -> Reply:
    screen = reading.screen
    if isinstance(reply, ActingReply) and screen is not None and mistake in (Mistake.WRONG_TAP, Mistake.OFF_SCREEN):
        x, y = _wrong_place(mistake, screen, occasion)
        action = {"name": "Tap", "x": x, "y": y}
        return type(reply).model_validate({**reply.model_dump(), "action": action})
    if isinstance(reply, JudgeReply) and mistake is Mistake.WRONG_OUTCOME:
        return opposite(reply)
    if isinstance(reply, ReflectReply | ReflectChangeReply) and mistake is Mistake.WRONG_OUTCOME:
        return _wrong_verdict(reply, reading, occasion)
    return reply


def _wrong_place(mistake: Mistake, screen: ListedPage, occasion: Occasion) -> tuple[int, int]:
    if mistake is Mistake.OFF_SCREEN or not screen.elements:
        return screen.width + 300 + occasion.draw("x", 500), screen.height + 300 + occasion.draw("y", 500)
    element = screen.elements[occasion.draw("element", len(screen.elements))]
    return element.x, element.y


def _wrong_verdict(reply: JudgingReply, reading: Reading, occasion: Occasion) -> JudgingReply:
    if reply.outcome is not Outcome.A:
        return reply.model_copy(update={"outcome": Outcome.A, "error": ""})
    outcome = (Outcome.B, Outcome.C)[occasion.draw("outcome", 2)]
    error = "This does not look like what was expected. Try something else."
    progress = reading.text(Section.PROGRESS) if isinstance(reply, ReflectReply) else ""
    return reply.model_copy(update={"outcome": outcome, "error": error, "progress": progress})
