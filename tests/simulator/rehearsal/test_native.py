"""The rehearsed agent of ``native``: what it keeps in its replies, how it judges, and its mistakes on purpose."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from manyhands.protocol.base import Outcome
from manyhands.protocol.profiles.native import NativeFirstReply, NativeReply
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.pages import Line, Page
from manyhands.simulator.rehearsal.profiles.native import NativeRehearsal
from manyhands.simulator.rehearsal.profiles.rehearsals import Question
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.request import Said
from tests.simulator.rehearsal.scripts import SCRIPTS

ACTIONS = "\n".join(["Open_App(app)", "Tap(x, y)", "Type(text, clear)", "Back()", "Home()", "Wait(seconds)", "Stop()"])
READING = Reading({Section.GOAL: "Turn on dark mode.", Section.ACTIONS: ACTIONS})
ASKED = "The screen after this action.\nJudge this action, then choose the next one."


def page(*texts: tuple[float, float, str], shade: int = 255) -> Page:
    return Page(tuple(Line(text, x, y) for x, y, text in texts), np.full((300, 135, 3), shade, np.uint8))


HOME = page((0.5, 0.5, "Settings"), shade=9)
LISTED = page((0.2, 0.066, "Settings"), (0.3, 0.12, "Search settings"), (0.2, 0.5, "Display"))


def question(wanted: Any, said: Sequence[Said], *pages: Page) -> Question:
    return Question(Role.DECIDE, wanted, READING, said, SCRIPTS, pages)


def first() -> NativeFirstReply:
    reply = NativeRehearsal().reply(question(NativeFirstReply, [Said("user", "")], HOME))
    assert isinstance(reply, NativeFirstReply)
    return reply


def second(told: str, *pages: Page) -> NativeReply:
    said = [Said("user", ""), Said("assistant", first().model_dump_json()), Said("user", told)]
    reply = NativeRehearsal().reply(question(NativeReply, said, *pages))
    assert isinstance(reply, NativeReply)
    return reply


def test_it_judges_the_last_action_and_goes_on() -> None:
    assert first().action.model_dump(exclude_unset=True) == {"name": "Open_App", "app": "Settings"}
    reply = second(ASKED, HOME, LISTED)
    assert reply.outcome is Outcome.A
    assert reply.action.name == "Tap"


def test_a_screen_that_stays_the_same_is_c() -> None:
    assert second(ASKED, LISTED, LISTED).outcome is Outcome.C
    assert second(f"Nothing on the screen changed. Do something else than before.\n{ASKED}", HOME).outcome is Outcome.C


def test_without_a_schema_it_sees_by_the_question_what_is_asked() -> None:
    rehearsal = NativeRehearsal()
    for told, kind in ((ASKED, NativeReply), ("There is no action to judge: leave out change.", NativeFirstReply)):
        asked = question(None, [Said("user", told)], HOME)
        assert rehearsal.is_asked(asked)
        assert isinstance(rehearsal.reply(asked), kind)
    assert not rehearsal.is_asked(question(None, [Said("user", "You are the planner.")], HOME))


def test_its_memory_is_what_its_replies_say() -> None:
    def answered(**said: str) -> Said:
        reply = {"notes": "", "thought": "", "action": {"name": "Back"}, "expectation": "", **said}
        return Said("assistant", json.dumps(reply))

    said = [
        *(Said("user", ""), answered(notes="Price: 5", thought="[part 1 first]")),
        *(Said("user", ASKED), answered(progress="Opened it", thought="On. [part 2 first]")),
        *(Said("user", ASKED), answered()),
        Said("user", ASKED),
    ]
    reply = NativeRehearsal().reply(question(NativeReply, said, HOME, LISTED))
    assert isinstance(reply, NativeReply)
    assert "Price" not in reply.notes


def test_it_searches_with_one_reply_where_several_actions_are_offered() -> None:
    goal = "Use the search in Settings to find these switches, and turn them on: Wi-Fi, Bluetooth and Location."
    actions = f"{ACTIONS}\nEnter()"
    form = 'add one more field, "then": [ACTION, ...], with up to 2 more actions'
    reading = Reading({Section.GOAL: goal, Section.ACTIONS: actions, Section.FORMAT: form})
    said = [Said("user", "")]
    asked = Question(Role.DECIDE, NativeFirstReply, reading, said, SCRIPTS, (LISTED,))
    reply = NativeRehearsal().reply(asked)
    assert isinstance(reply, NativeFirstReply)
    assert [one.name for one in (reply.action, *reply.following)] == ["Tap", "Type", "Enter"]
    alone = replace(asked, reading=Reading({**reading.sections, Section.FORMAT: ""}))
    assert "then" not in NativeRehearsal().reply(alone).model_dump()


def test_its_mistakes_are_other_places_and_other_verdicts() -> None:
    rehearsal, right = NativeRehearsal(), second(ASKED, HOME, LISTED)
    tap = rehearsal.wrong_action(right, [LISTED], lambda purpose, sides: int(purpose == "verdict"))
    assert isinstance(tap, NativeReply)
    assert tap.action != right.action
    judged = rehearsal.wrong_action(right, [LISTED], lambda purpose, sides: 0)
    assert isinstance(judged, NativeReply)
    assert (judged.action, judged.outcome) == (right.action, Outcome.B)
    assert rehearsal.wrong_action(right, [], lambda purpose, sides: 0) is None
