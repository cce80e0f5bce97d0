"""The rehearsed model without pictures: it reads lists of elements, and taps by their numbers."""

from __future__ import annotations

import json

from manyhands.actors.mllm import parse
from manyhands.actors.mllm.native import NATIVE_FORMS
from manyhands.actors.mllm.request.bodies import messages_of
from manyhands.actors.mllm.vocabulary import PLAIN
from manyhands.protocol.profiles.native import NativeFirstReply
from manyhands.protocol.roles.replies import in_form
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section
from manyhands.simulator.rehearsal.family_form import in_family_form, in_our_form
from manyhands.simulator.rehearsal.pages import Line
from manyhands.simulator.rehearsal.prompt import Reading
from manyhands.simulator.rehearsal.request import Said, parse_request
from manyhands.simulator.rehearsal.text_pages import TextPage, text_pages
from tests.actors.mllm.native.example_chat import GOAL, chat_at

PLACED = """\
### Screen Information ###
Screen: 1000 x 1000.
<data>
1 (63,66; clickable) icon: Navigate up
2 (300,66) Display

3 (300,140; clickable) Dark mode
4 (900,145; not checked) icon: switch off
5 (300,240; clickable) Rotate
6 (900,245; checked) icon: switch on
</data>
The keyboard is up."""
PLAIN_LIST = """\
<data>
Navigate up [1]
Display [2]
Dark mode [3]
switch off [4] (off)
Rotate [5]
switch on [6] (on)
</data>"""


def page_of(text: str) -> TextPage:
    (page,) = text_pages([Said("user", text), Said("assistant", text), Said("user", "Nothing is listed.")])
    return page


def row(page: TextPage, text: str) -> Line:
    return next(line for line in page.lines if line.text == text)


def test_both_lists_tell_texts_numbers_switches_and_titles() -> None:
    for text in (PLACED, PLAIN_LIST):
        page = page_of(text)
        assert [page.number_of(row(page, name)) for name in ("Display", "Dark mode", "Rotate")] == [2, 3, 5]
        assert [page.switch_is_on(row(page, name)) for name in ("Dark mode", "Rotate")] == [False, True]
        assert row(page, "Display").y < 0.12 < row(page, "Dark mode").y
        assert page.looks_like(page_of(text))
        assert not page.looks_like(page_of(text.replace("(on)", "(off)").replace("; checked", "; not checked")))
    assert page_of(PLACED).lines[-1].text == "ADB Keyboard"


def test_a_plain_chat_is_read_as_one_of_our_own_form() -> None:
    prompt = NATIVE_FORMS["plain-chat"].render(chat_at("plain-chat", 1))
    request = in_our_form(parse_request({"model": "m", "messages": messages_of(prompt)}, {}))
    reading = Reading(request.sections)
    assert (request.role, request.wanted, reading.text(Section.GOAL)) == (Role.DECIDE, "NativeFirstReply", GOAL)
    assert {"Tap_Element", "Scroll", "Open_App", "Stop"} <= reading.actions.keys()


def test_its_answer_in_a_plain_chat_holds_no_empty_fields_and_is_read() -> None:
    fields = {"notes": "", "thought": "", "expectation": "", "action": {"name": "Tap_Element", "number": 3}}
    text = in_family_form(NativeFirstReply.model_validate(fields), "plain-chat")
    assert json.loads(text) == {"action": fields["action"]}
    assert parse(in_form(NativeFirstReply, PLAIN), text).action.name == "Tap_Element"
    scroll = '{"action": {"name": "Scroll", "direction": "up"}}'
    assert parse(in_form(NativeFirstReply, PLAIN), scroll).action.name == "Scroll"
