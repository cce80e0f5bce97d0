"""Replies in which action, verdict or notes are clear, though not in the shape that was asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from manyhands.actors.mllm import parse, read
from manyhands.actors.mllm.request.actions import read_action
from manyhands.actors.mllm.request.dialects import dialect_named
from manyhands.actors.phones.adb.apps import AppCatalogue
from manyhands.actors.phones.adb.commands import PhoneFacts, commands_for
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.role import DecideReply, NoteReply, PlanReply, ReflectReply
from manyhands.protocol.screens import actions
from manyhands.protocol.screens.geometry import Size

TAP = {"name": "Tap", "x": 540, "y": 120}
MAPS = {"name": "Open_App", "app": "Maps"}
SEARCH = {
    "name": "Shortcut",
    "shortcut": "Tap_Type_and_Enter",
    "arguments": [{"name": "x", "value": "5"}, {"name": "y", "value": "6"}, {"name": "text", "value": "a"}],
}
V3_WITH_PROSE = '{"thought": "t", "action": "click", "coordinate": [540, 120], "expectation": "e"}'
SEARCH_ARGUMENTS = {"x": 5, "y": 6, "text": "a"}


def own(action: Any, **more: Any) -> str:
    return json.dumps({"thought": "t", "action": action, "expectation": "e", **more})


def use(**arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': 'mobile_use', 'arguments': arguments})}\n</tool_call>"


def named(name: str, **arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def typed(clear: bool) -> dict[str, Any]:
    return {"name": "Type", "text": "a", "clear": clear}


def timed(name: str, seconds: int | None) -> dict[str, Any]:
    place = {"x": 540, "y": 120} if name == "Long_Press" else {}
    return {"name": name, **place, "seconds": seconds}


def cases(*table: tuple[str, str, dict[str, Any] | str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("text", "expected"), [pytest.param(t, e, id=why) for why, t, e in table])


def check(reply: type[Reply], text: str, expected: dict[str, Any] | str, field: str | None = None) -> None:
    """``expected``: what is read, or words of the reason why nothing is."""
    if isinstance(expected, str):
        with pytest.raises(ReplyUnusable) as unusable:
            parse(reply, text)
        assert expected in str(unusable.value)
    else:
        shown = parse(reply, text).model_dump(mode="json")
        assert (shown[field] if field else shown) == expected


# ---------------------------------------------------------------------------- times
@cases(
    ("v3 waits", '{"action": "wait", "time": 10}', timed("Wait", 10)),
    ("a tool call waits", use(action="wait", time=2.5), timed("Wait", 3)),
    ("a tool call presses", use(action="long_press", coordinate=[540, 120], time=3), timed("Long_Press", 3)),
    ("no time", use(action="wait"), timed("Wait", None)),
    ("an empty time", use(action="long_press", coordinate=[540, 120], time=""), timed("Long_Press", None)),
    ("too long a wait", use(action="wait", time=600), timed("Wait", 30)),
    ("too short a wait", use(action="wait", time=0), timed("Wait", 1)),
    ("too long a press", use(action="long_press", coordinate=[540, 120], time=60), timed("Long_Press", 5)),
    ("so short a press that it would be a tap", use(action="long_press", coordinate=[540, 120], time=0.1),
     timed("Long_Press", 1)),
    ("in quotes", use(action="wait", time="10"), timed("Wait", 10)),
    ("with a unit", use(action="wait", time="10 seconds"), timed("Wait", 10)),
    ("a time in XML", "<function=mobile_use>\n<parameter=action>\nwait\n</parameter>\n<parameter=time>\n4\n"
     "</parameter>\n</function>", timed("Wait", 4)),
    ("E waits", named("Wait", seconds=7), timed("Wait", 7)),
    ("E presses", named("Long_Press", x=540, y=120, duration=2), timed("Long_Press", 2)),
    ("our JSON waits", own({"name": "Wait", "seconds": 10}), timed("Wait", 10)),
    ("our JSON waits too long", own({"name": "Wait", "seconds": 600}), timed("Wait", 30)),
    ("our JSON with its time by another name", own({"name": "Wait", "time": 5}), timed("Wait", 5)),
    ("a bare wait", "Wait(12)", timed("Wait", 12)),
    ("a bare press", "Long_Press(540, 120, seconds=2)", timed("Long_Press", 2)),
    ("a negative time", use(action="wait", time=-1), "no number of seconds"),
    ("a word", use(action="wait", time="long"), "no number of seconds"),
    ("a truth value", use(action="wait", time=True), "no number of seconds"),
)  # fmt: skip
def test_times_are_carried_and_bounded(text: str, expected: dict[str, Any] | str) -> None:
    check(DecideReply, text, expected, "action")


def test_a_time_goes_from_the_reply_to_the_phone() -> None:
    size = Size(width=1000, height=1000)
    facts = PhoneFacts(size=size, adb_keyboard=False, apps=AppCatalogue({}))
    press = parse(DecideReply, use(action="long_press", coordinate=[500, 250], time=3)).action
    atom = read_action(press, dialect_named("qwen3-vl"), size, ())
    assert isinstance(atom, actions.LongPress)
    assert commands_for(atom, facts) == [["input", "swipe", "500", "250", "500", "250", "3000"]]
    wait = parse(DecideReply, use(action="wait", time=10)).action
    assert read_action(wait, dialect_named("qwen3-vl"), size, ()) == actions.Wait(seconds=10)


# ---------------------------------------------------------------------------- prose
@pytest.mark.parametrize(
    ("reply", "text", "cut"),
    [
        (DecideReply, own(TAP, thought="t" * 801), {"thought": "t" * 800}),
        (
            DecideReply,
            own(TAP, thought="t" * 900, expectation="e" * 801),
            {"thought": "t" * 800, "expectation": "e" * 800},
        ),
        (DecideReply, f"Thought: {'t' * 900}\n{use(action='wait')}", {"thought": "t" * 800}),
        (NoteReply, json.dumps({"notes": "n" * 2001}), {"notes": "n" * 2000}),
        (NoteReply, "### Important Notes ###\n" + "n" * 2001, {"notes": "n" * 2000}),
        (
            PlanReply,
            json.dumps(
                {"thought": "", "plan": "p" * 2001, "change": "keep", "subgoal": "s" * 801, "status": "continue"}
            ),
            {"plan": "p" * 2000, "subgoal": "s" * 800},
        ),
        (
            ReflectReply,
            json.dumps({"outcome": "B", "error": "e" * 801, "progress": "p" * 2001}),
            {"error": "e" * 800, "progress": "p" * 2000},
        ),
        (DecideReply, own(TAP, thought="t" * 800), {}),
    ],
)
def test_prose_that_is_too_long_is_cut_and_named(reply: type[Reply], text: str, cut: dict[str, str]) -> None:
    found = read(reply, text)
    assert found.cut == tuple(cut)
    assert {key: getattr(found.reply, key) for key in cut} == cut


@cases(
    ("a text to be typed", own({"name": "Type", "text": "a" * 2001}), "at most 2000"),
    ("a text to be typed in a tool call", use(action="type", text="a" * 2001), "at most 2000"),
    ("an app's name", own({"name": "Open_App", "app": "a" * 101}), "at most 100"),
)
def test_what_an_action_says_is_never_cut(text: str, expected: str) -> None:
    check(DecideReply, text, expected)


@cases(
    ("no expectation", '{"thought": "t", "action": {"name": "Home"}}', {"thought": "t", "expectation": ""}),
    ("no prose at all", '{"action": {"name": "Home"}}', {"thought": "", "expectation": ""}),
    ("null", '{"thought": null, "action": {"name": "Home"}, "expectation": null}', {"thought": "", "expectation": ""}),
    ("null in Python", "{'thought': None, 'action': {'name': 'Home'}}", {"thought": "", "expectation": ""}),
    ("a further key", own({"name": "Home"}, observation="o"), {"thought": "t", "expectation": "e"}),
    ("no expectation, and cut there", '{"thought": "t", "action": {"name": "Home"}', "expectation"),
    ("no action", '{"thought": "t", "expectation": "e"}', "action"),
    ("an unknown further key", own({"name": "Home"}, then="Stop"), "unknown key 'then'"),
)
def test_a_decision_without_its_prose(text: str, expected: dict[str, Any] | str) -> None:
    if isinstance(expected, dict):
        expected = {"thought": expected["thought"], "action": {"name": "Home"}, "expectation": expected["expectation"]}
    check(DecideReply, text, expected)


@cases(
    ("error null", '{"outcome": "A", "error": null, "progress": "p"}', {"outcome": "A", "error": "", "progress": "p"}),
    ("no progress", '{"outcome": "C", "error": "e"}', {"outcome": "C", "error": "e", "progress": ""}),
    ("the letter alone", '{"outcome": "B"}', {"outcome": "B", "error": "", "progress": ""}),
    ("no outcome", '{"error": "e", "progress": "p"}', "outcome"),
    ("a letter in bold", '{"outcome": "**A**", "error": ""}', {"outcome": "A", "error": "", "progress": ""}),
    ("a letter and words", '{"outcome": "B: a wrong page"}', {"outcome": "B", "error": "", "progress": ""}),
)
def test_a_verdict_without_its_prose(text: str, expected: dict[str, Any] | str) -> None:
    check(ReflectReply, text, expected)


@cases(
    ("no thought", '{"plan": "1. a", "change": "next", "subgoal": "a", "status": "Continue"}',
     {"thought": "", "plan": "1. a", "change": "next", "subgoal": "a", "status": "continue"}),
    ("nothing left to do", '{"plan": null, "change": "next", "status": "finished"}',
     {"thought": "", "plan": "", "change": "next", "subgoal": "", "status": "finished"}),
    ("no subgoal, and it goes on", '{"plan": "1. a", "change": "next", "status": "continue"}', "subgoal"),
)  # fmt: skip
def test_a_plan_without_its_prose(text: str, expected: dict[str, Any] | str) -> None:
    check(PlanReply, text, expected)


# ---------------------------------------------------------------------------- outcomes and fences
@pytest.mark.parametrize(
    ("written", "letter"),
    [
        ("**A**", "A"), ("(B)", "B"), ('"B"', "B"), ("`C`", "C"), ("*A*", "A"), ("[C]", "C"),
        ("**B**: a wrong page", "B"),
        ("**A: as expected**", "A"), ("(A) as expected.", None), ("**A** or **B**", None), ("(A), (B)", None),
        ("**Bad**", None), ('"a"', None),
    ],
)  # fmt: skip
def test_an_outcome_in_bold_in_parentheses_or_in_quotation_marks(written: str, letter: str | None) -> None:
    text = f"### Outcome ###\n{written}\n### Error Description ###\nNone"
    expected = {"outcome": letter, "error": "None", "progress": ""} if letter else "outcome"
    check(ReflectReply, text, expected)


@pytest.mark.parametrize(
    ("reply", "text", "expected"),
    [
        (NoteReply, "```\n### Important Notes ###\nPrice: 5\n```", {"notes": "Price: 5"}),
        (NoteReply, "### Important Notes ###\n```\nPrice: 5\n```", {"notes": "Price: 5"}),
        (NoteReply, "### Important Notes ###\nIt says:\n```\na\n```\nb", {"notes": "It says:\n```\na\n```\nb"}),
        (
            ReflectReply,
            "```markdown\n### Outcome ###\nB\n### Error Description ###\nwrong\n```",
            {"outcome": "B", "error": "wrong", "progress": ""},
        ),
        (
            PlanReply,
            "```\n### Plan ###\nFinished\n```",
            {"thought": "", "plan": "", "change": "replan", "subgoal": "", "status": "finished"},
        ),
    ],
)
def test_a_fence_is_no_part_of_a_section(reply: type[Reply], text: str, expected: dict[str, Any]) -> None:
    check(reply, text, expected)


# ---------------------------------------------------------------------------- numbers, names, keys
@cases(
    ("fractions", use(action="click", coordinate=[539.5, 120.25]), TAP),
    ("in quotes", use(action="click", coordinate=["540", "120"]), TAP),
    ("x and y in quotes", named("Tap", x="540", y="120"), TAP),
    ("fractions in quotes", use(action="click", coordinate=["540.2", "119.9"]), TAP),
    ("in our JSON", own({"name": "Tap", "x": "540", "y": 120.4}), TAP),
    ("an element's number", own({"name": "Tap_Element", "number": "4"}), {"name": "Tap_Element", "number": 4}),
    ("half an element", own({"name": "Tap_Element", "number": 4.5}), "number"),
    ("a share of the side", use(action="click", coordinate=[0.5, 120]), "not a whole number"),
    ("percent", use(action="click", coordinate=["54%", "12%"]), "not a whole number"),
    ("a text of two numbers", use(action="click", coordinate="540, 120"), "two numbers"),
    ("full-width digits", use(action="click", coordinate=["５４０", "１２０"]), "not a whole number"),
    ("not a number", '{"action": "click", "coordinate": [NaN, 120]}', "not a whole number"),
)
def test_numbers_as_models_write_them(text: str, expected: dict[str, Any] | str) -> None:
    check(DecideReply, text, expected, "action")


@cases(
    ("element", use(action="click", coordinate=[540, 120], element="OK button"), TAP),
    ("clear on type", use(action="type", text="a", clear=True), typed(clear=True)),
    ("an empty place on a button", use(action="system_button", button="Back", coordinate=[]), {"name": "Back"}),
    ("nothing for the rest", use(action="click", coordinate=[540, 120], text="", coordinate2=None, direction=""), TAP),
    ("in our JSON", own({**TAP, "element": "OK"}), TAP),
    ("in E's form", named("Tap", x=540, y=120, description="OK"), TAP),
    ("an element that is a place", use(action="click", coordinate=[540, 120], element=[1, 2]), "takes no 'element'"),
    ("a second place", use(action="click", coordinate=[540, 120], coordinate2=[1, 2]), "takes no 'coordinate2'"),
)
def test_harmless_keys(text: str, expected: dict[str, Any] | str) -> None:
    check(DecideReply, text, expected, "action")


@cases(
    ("giving up by our name", use(action="Stop", status="failure"), "gave up"),
    ("the same in our JSON", own({"action": "stop", "status": "fail"}), "gave up"),
    ("success by our name", use(action="stop", status="success"), {"name": "Stop"}),
    ("another button", use(action="home", button="Back"), "takes no 'button'"),
    ("the same button", use(action="home", button="Home"), {"name": "Home"}),
    ("two apps", named("Open_App", app="Maps", app_name="Bank"), "'app' twice"),
    ("two apps in our JSON", own({"name": "Open_App", "app": "Maps", "app_name": "Bank"}), "app_name"),
    ("two times", named("Wait", time=20, seconds=2), "'seconds' twice"),
    ("the same time twice", named("Wait", time=2, seconds=2), timed("Wait", 2)),
)
def test_arguments_that_say_otherwise_than_the_action_or_each_other(text: str, expected: dict[str, Any] | str) -> None:
    check(DecideReply, text, expected, "action")


@cases(
    ("Open App", named("Open App", app_name="Maps"), MAPS),
    ("OpenApp", named("OpenApp", app="Maps"), MAPS),
    ("open", named("open", text="Maps"), MAPS),
    ("open_app as mobile_use's", use(action="open_app", text="Maps"), MAPS),
    ("tap", named("tap", x=540, y=120), TAP),
    ("click", named("click", x=540, y=120), TAP),
    ("click with a place", named("click", coordinate=[540, 120]), TAP),
    ("Click as mobile_use's", use(action="Click", coordinate=[540, 120]), TAP),
    ("tap as mobile_use's", use(action="tap", coordinate=[540, 120]), TAP),
    ("tap with x and y", use(action="tap", x=540, y=120), TAP),
    ("System Button", use(action="System Button", button="back"), {"name": "Back"}),
    ("a button as an action", use(action="back"), {"name": "Back"}),
    ("long press", named("long press", x=540, y=120), timed("Long_Press", None)),
    ("in our JSON", own({"name": "open app", "app_name": "Maps"}), MAPS),
    ("bare", "open app('Maps')", MAPS),
    ("bare, with a hyphen", "Long-Press(540, 120)", timed("Long_Press", None)),
    ("bare click", "click(540, 120)", TAP),
    ("the tool's", '{"name": "Mobile Use", "arguments": {"action": "click", "coordinate": [540, 120]}}', TAP),
    ("a name that is cut in two", named("T ap", x=540, y=120), "no action"),
)
def test_names_whatever_their_case_and_blanks(text: str, expected: dict[str, Any] | str) -> None:
    check(DecideReply, text, expected, "action")


@cases(
    ("E's form", own({"name": "Tap", "arguments": {"x": 540, "y": 120}}), TAP),
    ("E's form without arguments", own({"name": "Home", "arguments": None}), {"name": "Home"}),
    ("v3's form", own({"action": "click", "coordinate": [540, 120]}), TAP),
    ("a tool call", own({"name": "mobile_use", "arguments": {"action": "click", "coordinate": [540, 120]}}), TAP),
    (
        "v3's form with our prose",
        '{"thought": "t", "action": "click", "coordinate": [540, 120], "expectation": "e"}',
        TAP,
    ),
    ("a word", own("Home"), {"name": "Home"}),
    ("a shortcut as a tool", own({"name": "Tap_Type_and_Enter", "arguments": SEARCH_ARGUMENTS}), SEARCH),
    ("a shortcut with an object", own({**SEARCH, "arguments": SEARCH_ARGUMENTS}), SEARCH),
    ("a shortcut in a tool call", f"<tool_call>{named('Tap_Type_and_Enter', **SEARCH_ARGUMENTS)}</tool_call>", SEARCH),
    ("a word that is no action", own("Look around"), "action"),
    ("a name that is no action", own({"name": "Fly"}), "'Fly'"),
    ("giving up", own({"action": "terminate", "status": "failure"}), "gave up"),
)
def test_an_action_of_another_form_in_our_json(text: str, expected: dict[str, Any] | str) -> None:
    check(DecideReply, text, expected, "action")


def test_prose_beside_an_action_of_another_form_is_kept() -> None:
    said = parse(DecideReply, V3_WITH_PROSE)
    assert (said.thought, said.expectation) == ("t", "e")


@cases(
    ("another family's tool", named("computer_use", action="left_click", coordinate=[5, 6]),
     "there is no tool 'computer_use'; the phone's tool is mobile_use"),
    ("the same in tags", f"<tool_call>{named('computer_use', action='key')}</tool_call>", "no tool 'computer_use'"),
    ("a swipe by direction", use(action="Swipe", direction="up"), "'Swipe' takes no 'direction'"),
    ("a click without a place", use(action="Click"), "Click needs 'coordinate', a list of two numbers"),
)  # fmt: skip
def test_the_reason_says_what_to_mend(text: str, expected: str) -> None:
    check(DecideReply, text, expected)


# ---------------------------------------------------------------------------- what cannot be seen, and braces
@cases(
    ("a byte-order mark", "\ufeff" + own(TAP), TAP),
    ("a zero-width space", "\u200b" + own(TAP) + "\u200b", TAP),
    ("both within", f"<think>t</think>\n\ufeff\u200b{own(TAP)}", TAP),
    ("a zero-width space between tokens", own(TAP).replace(": ", ":\u200b"), TAP),
    ("before a tool call", "\ufeff" + use(action="click", coordinate=[540, 120]), TAP),
    ("before a heading", f"\ufeff### Action ###\n{named('Tap', x=540, y=120)}", TAP),
    ("a typed text keeps it", own({"name": "Type", "text": "a\u200bb"}), {**typed(clear=False), "text": "a\u200bb"}),
    ("braces before v3's form", "Thought: the {x} icon {\nAction: {'action': 'click', 'coordinate': [540, 120]}", TAP),
    ("braces before E's form", f"Thought: {{Settings}} is there.\n{named('Tap', x=540, y=120)}", TAP),
    ("braces before our JSON", f"Thought: the {{x}} icon.\n{own(TAP)}", TAP),
    ("an action that is broken, then another",
     "Thought: t\nAction: {'action': 'click', 'coordinate': [5\n{'action': 'wait'}", "no whole JSON object"),
    ("an action without quotation marks, then another",
     "Thought: t\nAction: {action: click\n{'action': 'wait'}", "no whole JSON object"),
    ("another family's action, then one of ours",
     "Thought: t\nAction: {\"action\": {\"type\": \"Tap\"}}\n{'action': 'wait'}", "name"),
)  # fmt: skip
def test_invisible_characters_and_stray_braces(text: str, expected: dict[str, Any] | str) -> None:
    check(DecideReply, text, expected, "action")
