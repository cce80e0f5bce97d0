"""Learning, recalling, permitting: what the rehearsed model reads in prompts and what it answers, good and planted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.roles.learners import (
    LearnShortcutsReply,
    LearnTipsReply,
    PermitReply,
    RecallReply,
    ShortcutWritten,
)
from manyhands.protocol.roles.role import DecideReply
from manyhands.protocol.roles.sections import HistoryLine, Section, history_line, keyboard_body
from manyhands.simulator.rehearsal.model import RehearsedModel
from manyhands.simulator.rehearsal.pages import Line, Page
from manyhands.simulator.rehearsal.planting import OBEYS_THE_SCREEN, Planted
from manyhands.simulator.rehearsal.request import parse_request
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from tests.simulator.rehearsal.parts import body, listed
from tests.simulator.rehearsal.scripts import SCRIPTS

GOAL = "Tell Ann in Messages: See you. Then tell Bob: Bye."
SENT: tuple[Mapping[str, Any], ...] = (
    {"name": "Open_App", "app": "Messages"},
    {"name": "Tap", "x": 100, "y": 300},
    {"name": "Tap", "x": 200, "y": 900},
    {"name": "Type", "text": "See you", "clear": True},
    {"name": "Enter"},
)
LIST_OF_MESSAGES = 'The screen shows "Messages" at the top. The screen shows "New message". The keyboard is away.'
SEND_MESSAGE = f"Send_Message(who, text): Send a message. Precondition: {LIST_OF_MESSAGES}"
INITIAL = (
    "Tap_Type_and_Enter(x, y, text): Search. "
    "Precondition: An empty text field is visible on the screen, and (x, y) lies inside it."
)


class Album:
    """Pages by the bytes that stand for their image. Implements the model's Reader."""

    def __init__(self, **pages: Page) -> None:
        self._pages = pages

    async def read(self, encoded: bytes) -> Page:
        return self._pages[encoded.decode()]


def page(*lines: tuple[float, float, str]) -> Page:
    return Page(tuple(Line(text, x, y) for x, y, text in lines), np.full((600, 270, 3), 255, np.uint8))


MESSAGES = page((0.2, 0.07, "Messages"), (0.3, 0.2, "Ann"), (0.7, 0.9, "New message"))
NOTES = page((0.2, 0.07, "Notes"), (0.3, 0.1, "Search notes"))


async def reply(
    kind: type[Reply], sections: Mapping[Section, str], planted: Planted = Planted.NOTHING, **pages: Page
) -> Any:
    model = RehearsedModel(SCRIPTS, Album(**pages), RehearsalSettings(lessons=planted))
    made = body(kind, {Section.GOAL: GOAL, **sections}, [name.encode() for name in pages])
    return kind.model_validate_json((await model.answer(parse_request(made, {}))).text)


def history(*actions: Mapping[str, Any], failed: int | None = None) -> str:
    return "\n".join(
        history_line(
            HistoryLine(
                step=step,
                action=dict(action),
                expectation="",
                outcome=Outcome.C if step == failed else Outcome.A,
                error="",
            )
        )
        for step, action in enumerate(actions)
    )


async def taught(done: str, planted: Planted = Planted.NOTHING, known: str = INITIAL) -> ShortcutWritten | None:
    sections = {Section.HISTORY: done, Section.SHORTCUTS: known}
    shortcuts: list[ShortcutWritten] = (await reply(LearnShortcutsReply, sections, planted)).shortcuts
    assert len(shortcuts) <= 1
    return next(iter(shortcuts), None)


# ---------------------------------------------------------------------------- learning
async def test_a_routine_is_taught_where_the_history_bears_it_out() -> None:
    shortcut = await taught(history(*SENT))
    assert shortcut is not None
    assert (shortcut.name, shortcut.arguments, shortcut.precondition) == (
        "Send_Message",
        ["who", "text"],
        LIST_OF_MESSAGES,
    )
    assert [step.name for step in shortcut.atomic_action_sequence] == ["Click_Text", "Click_Text", "Type", "Enter"]
    assert shortcut.atomic_action_sequence[0].arguments_map == {"text": "who"}
    assert shortcut.atomic_action_sequence[3].arguments_map is None


async def test_where_typing_never_replaces_what_a_field_holds_it_is_taught_so() -> None:
    shortcut = await taught(history(*SENT[:3], {"name": "Type", "text": "See you"}, SENT[4]))
    assert shortcut is not None
    assert shortcut.atomic_action_sequence[2].arguments_map == {"text": "text"}


@pytest.mark.parametrize(
    "done",
    [
        history(*SENT, failed=3),
        history(*SENT[:4]),
        history(*SENT[:3], {"name": "Wait"}, *SENT[3:]),
        history(SENT[3], *SENT[:3], {"name": "Type", "text": "See you"}, SENT[4]),
        "None",
    ],
    ids=["one failed", "one is missing", "not one after another", "another argument", "nothing was done"],
)
async def test_nothing_is_taught_that_was_not_carried_out_so(done: str) -> None:
    assert await taught(done) is None


async def test_what_is_known_is_taught_again_only_after_a_use_of_it_has_failed() -> None:
    known = f"{INITIAL}\n{SEND_MESSAGE}"
    use = {"name": "Shortcut", "shortcut": "Send_Message", "arguments": [{"name": "text", "value": "See you"}]}
    assert await taught(history(*SENT), known=known) is None
    assert await taught(history(use, *SENT), known=known) is None
    mended = await taught(history(use, *SENT, failed=0), known=known)
    assert mended is not None
    assert mended.name == "Send_Message"


async def test_tips_so_far_stay_and_those_that_the_history_bears_out_are_added() -> None:
    sections = {Section.TIPS: "1. Close pop-ups.", Section.HISTORY: history(*SENT)}
    tips = (await reply(LearnTipsReply, sections)).tips.splitlines()
    assert tips == ["1. Close pop-ups.", "2. In Messages, a message is sent with Enter once it stands in the field."]
    assert (await reply(LearnTipsReply, {**sections, Section.HISTORY: "None"})).tips == "1. Close pop-ups."
    again = {**sections, Section.TIPS: "\n".join(tips)}
    assert (await reply(LearnTipsReply, again)).tips.splitlines() == tips


async def test_a_goal_that_was_not_rehearsed_teaches_nothing() -> None:
    sections = {Section.GOAL: "Sing a song.", Section.HISTORY: history(*SENT), Section.TIPS: "1. Close pop-ups."}
    assert (await reply(LearnShortcutsReply, sections)).shortcuts == []
    assert (await reply(LearnTipsReply, sections)).tips == "1. Close pop-ups."


# ---------------------------------------------------------------------------- planted
async def test_a_shortcut_that_lacks_a_tap_is_mended_once_it_has_failed() -> None:
    lacking = await taught(history(*SENT), Planted.MISSING_TAP)
    assert lacking is not None
    assert ([one.name for one in lacking.atomic_action_sequence], lacking.arguments) == (["Type", "Enter"], ["text"])
    use = {"name": "Shortcut", "shortcut": "Send_Message", "arguments": [{"name": "text", "value": "See you"}]}
    known = f"{INITIAL}\n{SEND_MESSAGE}"
    mended = await taught(history(use, *SENT, failed=0), Planted.MISSING_TAP, known)
    assert mended == await taught(history(*SENT))


@pytest.mark.parametrize(
    ("planted", "wrong"),
    [
        (Planted.BAD_PRECONDITION, {"precondition": "The phone is on."}),
        (Planted.NO_PRECONDITION, {"precondition": "None"}),
        (Planted.ACTION_NAME, {"name": "Tap"}),
        (Planted.LITERAL, {"arguments": ["text"]}),
    ],
)
async def test_bad_shortcuts_are_planted_on_request(planted: Planted, wrong: Mapping[str, Any]) -> None:
    shortcut = await taught(history(*SENT), planted)
    assert shortcut is not None
    assert {name: getattr(shortcut, name) for name in wrong} == wrong


async def test_a_step_that_was_never_carried_out_is_planted_on_request() -> None:
    shortcut = await taught(history(*SENT), Planted.INVENTED)
    assert shortcut is not None
    assert shortcut.atomic_action_sequence[-1].name == "Back"


@pytest.mark.parametrize(
    ("planted", "tip"), [(Planted.INJECTION, OBEYS_THE_SCREEN), (Planted.MARKS, "### User Instruction ###")]
)
async def test_bad_tips_are_planted_on_request(planted: Planted, tip: str) -> None:
    assert tip in (await reply(LearnTipsReply, {Section.TIPS: "1. Close pop-ups."}, planted)).tips


# ---------------------------------------------------------------------------- permitting and recalling
@pytest.mark.parametrize(
    ("told", "shown", "holds"),
    [
        (LIST_OF_MESSAGES, MESSAGES, "yes"),
        (LIST_OF_MESSAGES, NOTES, "no"),
        ("An empty text field is visible on the screen, and (x, y) lies inside it.", NOTES, "yes"),
        ("An empty text field is visible on the screen, and (x, y) lies inside it.", page((0.2, 0.1, "gym")), "no"),
        ("The phone is on.", NOTES, "yes"),
    ],
)
async def test_a_precondition_is_looked_for_on_the_picture(told: str, shown: Page, holds: str) -> None:
    sections = {Section.SHORTCUT: f"The shortcut X, with who = Ann: Do it.\nPrecondition: {told}"}
    permit = await reply(PermitReply, sections, now=shown)
    assert permit.holds == holds
    assert permit.reason


async def test_the_keyboard_is_what_the_prompt_says_it_is() -> None:
    shown = keyboard_body("shown", "It is up.")
    sections = {Section.SHORTCUT: f"The shortcut X: Do it.\nPrecondition: {LIST_OF_MESSAGES}", Section.KEYBOARD: shown}
    assert (await reply(PermitReply, sections, now=MESSAGES)).holds == "no"


async def test_what_shares_words_with_the_goal_is_recalled() -> None:
    sections = {
        Section.TIPS: "1. Close pop-ups.\n2. Messages are sent with Enter.\n3. 在短信中按回车发送。",
        Section.SHORTCUTS: f"{INITIAL}\n{SEND_MESSAGE}\nDelete_Note(x, y): Delete a note. Precondition: none",
    }
    recalled = await reply(RecallReply, sections)
    assert (recalled.tips, recalled.shortcuts) == ("2", "Send_Message")
    chinese = await reply(RecallReply, {**sections, Section.GOAL: "给妈妈发一条短信"})
    assert (chinese.tips, chinese.shortcuts) == ("3", "")


# ---------------------------------------------------------------------------- using
def at_messages(*shortcuts: str, keyboard: str = "hidden") -> dict[Section, str]:
    return {
        Section.ACTIONS: "Tap(x, y): tap\nBack(): back\nHome(): home\nWait(): wait\nOpen_App(app): open",
        Section.SHORTCUTS: "\n".join(shortcuts),
        Section.PLAN: "1. Write the message and send it to Ann\n2. Write the message and send it to Bob",
        Section.SUBGOAL: "Write the message and send it to Ann",
        Section.SCREEN: listed((200, 70, "Messages"), (300, 200, "Ann"), (700, 900, "New message")),
        Section.KEYBOARD: keyboard_body("shown" if keyboard == "shown" else "hidden", "."),
    }


async def test_an_offered_shortcut_is_used_where_its_precondition_is_seen() -> None:
    used = (await reply(DecideReply, at_messages(SEND_MESSAGE))).action
    assert used.model_dump()["shortcut"] == "Send_Message"
    assert {one.name: one.value for one in used.arguments} == {"who": "Ann", "text": "See you"}
    assert (await reply(DecideReply, at_messages(INITIAL))).action.name == "Tap"
    assert (await reply(DecideReply, at_messages(SEND_MESSAGE, keyboard="shown"))).action.name == "Tap"


async def test_what_it_takes_is_what_it_is_given() -> None:
    fewer = SEND_MESSAGE.replace("(who, text)", "(text)")
    used = (await reply(DecideReply, at_messages(fewer))).action
    assert [one.name for one in used.arguments] == ["text"]
    other = SEND_MESSAGE.replace("(who, text)", "(who, text, colour)")
    assert (await reply(DecideReply, at_messages(other))).action.name == "Tap"


async def test_whoever_calls_shortcuts_in_the_wrong_app_does_not_look() -> None:
    sections = {**at_messages(SEND_MESSAGE), Section.SCREEN: listed((200, 70, "Notes"), (300, 500, "Gym plan"))}
    assert (await reply(DecideReply, sections)).action.name != "Shortcut"
    assert (await reply(DecideReply, sections, Planted.WRONG_APP)).action.model_dump()["shortcut"] == "Send_Message"
