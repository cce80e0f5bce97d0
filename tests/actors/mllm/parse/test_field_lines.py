"""Fields that a reply in a model's own form writes on lines of their own: a verdict, progress, notes."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest

from manyhands.actors.mllm import parse
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.profiles.native import NativeFirstReply
from manyhands.protocol.roles.field_description import FieldDescription
from manyhands.protocol.roles.replies import ActingReply, ActionReply, Medium, in_form


class JudgingReply(ActingReply):
    change: Annotated[Medium, FieldDescription("Change")]
    outcome: Annotated[Outcome, FieldDescription("Outcome", "the letter alone")]
    progress: Annotated[Medium, FieldDescription("Progress Status")]
    subgoal: Annotated[Literal["open", "reached"], FieldDescription("Current Subgoal")]
    notes: Annotated[Medium, FieldDescription("Important Notes")]
    thought: Annotated[Medium, FieldDescription("Thought")]
    action: Annotated[ActionReply, FieldDescription("Action", "ACTION")]
    expectation: Annotated[Medium, FieldDescription("Description")]


CALL = '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [5, 6]}}\n</tool_call>'
LINES = "Change: The list opened.\nVerdict: A\nProgress: The list is open.\nSubgoal: reached\nNotes: Pin 1234\n"
SAID = {
    "change": "The list opened.",
    "outcome": "A",
    "progress": "The list is open.",
    "subgoal": "reached",
    "notes": "Pin 1234",
}
UNSAID = {"change": "", "progress": "", "subgoal": "open", "notes": ""}
TAP = {"name": "Tap", "x": 5, "y": 6}


def read(form: str, text: str) -> dict[str, Any]:
    return parse(in_form(JudgingReply, form), text).model_dump(mode="json")


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("mobile_use", f"{LINES}Thought: I tap it.\nAction: Tap.\n{CALL}"),
        ("mobile_use", f"<think>Hm.</think>\n{LINES}Thought: I tap it.\n{CALL}"),
        ("mobile_use", f"Thought: I tap it.\n{LINES}{CALL}"),
        ("mobile_use", f"{LINES.upper().replace('PIN', 'Pin')}Thought: I tap it.\n{CALL}"),
        ("mai_ui", f"<thinking>\n{LINES}I tap it.\n</thinking>\n{CALL}"),
        ("mai_ui", f"<thinking>\nI tap it.\n</thinking>\n{LINES}{CALL}"),
        ("ui_tars", f"{LINES}Thought: I tap it.\nAction: click(start_box='(5,6)')"),
        ("autoglm", f'<think>\n{LINES}I tap it.</think>\n<answer>do(action="Tap", element=[5,6])</answer>'),
        ("autoglm", f'<think>I tap it.</think>\n{LINES}<answer>do(action="Tap", element=[5,6])</answer>'),
    ],
)
def test_all_lines(form: str, text: str) -> None:
    found = read(form, text)
    assert found.pop("expectation") in ("", "Tap.")
    assert {key: str(one).lower() for key, one in found.items() if key in SAID} == {
        key: one.lower() for key, one in SAID.items()
    }
    assert (found["thought"], found["action"]) == ("I tap it.", TAP)


GLM_TYPES = '<answer>do(action="Type", text="a\\nVerdict: C")</answer>'


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("mobile_use", f"<think>\n{LINES}I tap it.\n{CALL}"),
        ("mai_ui", f"<thinking>\n{LINES}I tap it.\n{CALL}"),
        ("mai_ui", f"<thinking>\nI tap it.\n{LINES}{CALL}"),
        ("autoglm", f'<think>\n{LINES}I tap it.\n<answer>do(action="Tap", element=[5,6])</answer>'),
    ],
)
def test_lines_in_thinking_that_is_never_closed(form: str, text: str) -> None:
    found = read(form, text)
    assert {key: found[key] for key in SAID} == SAID
    assert (found["thought"], found["action"]) == ("I tap it.", TAP)
    first = parse(in_form(NativeFirstReply, form), text)
    assert (first.thought, first.notes, first.action.model_dump()) == ("I tap it.", "Pin 1234", TAP)
    with pytest.raises(ReplyUnusable, match="Verdict is given twice"):
        read(form, text.replace("I tap it.", "I tap it.\nVerdict: C"))
    with pytest.raises(ReplyUnusable, match="outcome"):
        read(form, text.replace(LINES, ""))


def test_lines_of_a_typed_text_in_thinking_that_is_never_closed() -> None:
    found = read("autoglm", f"<think>\nVerdict: A\nI type it.\n{GLM_TYPES}")
    assert (found["outcome"], found["action"]["text"]) == ("A", "a\nVerdict: C")
    with pytest.raises(ReplyUnusable, match="outcome"):
        read("autoglm", f"<think>\nI type it.\n{GLM_TYPES}")
    for lead in ("Notes: the screen says:", 'Notes: the screen says "'):
        with pytest.raises(ReplyUnusable, match="quote it or lead to it"):
            read("mai_ui", f"<thinking>\nVerdict: A\n{lead}\n{CALL}")


def test_only_the_verdict_is_needed() -> None:
    found = read("mobile_use", f"**Verdict:** B\nThought: x\n{CALL}")
    assert {key: found[key] for key in (*UNSAID, "outcome")} == {**UNSAID, "outcome": "B"}


def test_lines_within_the_reply_belong_to_it() -> None:
    call = CALL.replace('"click", "coordinate": [5, 6]', '"type", "text": "a\\nVerdict: C"')
    found = read("mobile_use", f"Verdict: A\nThought: x\n{call}")
    assert (found["outcome"], found["action"]["text"]) == ("A", "a\nVerdict: C")
    found = read("ui_tars", "Verdict: A\nThought: x\nAction: type(content='a\nVerdict: C\n')")
    assert (found["outcome"], found["action"]["text"]) == ("A", "a\nVerdict: C\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"Thought: x\n{CALL}", "outcome"),
        (f"Verdict: good\nThought: x\n{CALL}", "does not begin with A, B or C"),
        (f"Verdict: A or B\nThought: x\n{CALL}", "A, B or C alone"),
        (f"Verdict: A, but rather C\nThought: x\n{CALL}", "several letters"),
        (f"Verdict: A - no, C\nThought: x\n{CALL}", "several letters"),
        (f"Verdict: A. Wrong page, so B\nThought: x\n{CALL}", "several letters"),
        (f"Verdict: A\nVerdict: B\nThought: x\n{CALL}", "Verdict is given twice"),
        (f"Verdict: A\nNotes: the screen says:\n{CALL}", "leads to the reply"),
        (f'Verdict: A\nNotes: the screen says "\n{CALL}', "leads to the reply"),
        ("Verdict: A\nNotes: it says " + CALL.replace("\n", ""), "no whole JSON object"),
        (f"Verdict: A\nThat is good.\n{CALL}", "not marked as a thought"),
        (f"Verdict: A\nThought: x\n{CALL}\nVerdict: B", "words follow"),
    ],
)
def test_what_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ReplyUnusable, match=reason):
        read("mobile_use", text)


@pytest.mark.parametrize(
    ("said", "subgoal"),
    [
        *(("reached", "reached"), ("Reached.", "reached"), ("**reached**", "reached")),
        *(("reached? no", "open"), ("reached only in part", "open"), ("reached / not reached", "open")),
        *(("Reached: no", "open"), ("not reached", "open"), ("unreached", "open"), ("", "open")),
    ],
)
def test_a_subgoal_is_reached_only_by_that_word_alone(said: str, subgoal: str) -> None:
    assert read("mobile_use", f"Verdict: A\nSubgoal: {said}\nThought: x\n{CALL}")["subgoal"] == subgoal


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        *(("A. The list opened, so A", "A"), ("B. A page opened", "B"), ("C - no, a tap on A dialog", "C")),
        *(('A. It shows "Plan B or C"', "A"), ("A, the port is USB-C now", "A"), ('A: it says "B"', "")),
        *(("A, C is meant", ""), ("B, rather A", ""), ("B. No, A is right", ""), ("A，但更像C", "")),
    ],
)
def test_a_verdict_is_the_only_letter_of_its_line(said: str, outcome: str) -> None:
    text = f"Verdict: {said}\nThought: x\n{CALL}"
    if outcome:
        assert read("mobile_use", text)["outcome"] == outcome
        return
    with pytest.raises(ReplyUnusable, match="several letters"):
        read("mobile_use", text)


@pytest.mark.parametrize("below", ["The page shows a list.", "The page shows a list.\nIt has three entries."])
def test_a_text_goes_on_in_the_lines_below_its_label(below: str) -> None:
    whole = " ".join(f"It opened. {below}".split())
    found = read("mobile_use", f"Change: It opened.\n{below}\nVerdict: A\nThought: x\n{CALL}")
    assert (found["change"], found["outcome"], found["thought"]) == (whole, "A", "x")
    found = read("ui_tars", f"Verdict: A\nChange: It opened.\n{below}\nThought: x\nAction: click(start_box='(5,6)')")
    assert (found["change"], found["thought"]) == (whole, "x")
    found = read("mai_ui", f"<thinking>\nChange: It opened.\n{below}\nVerdict: A\nI tap it.\n</thinking>\n{CALL}")
    assert (found["change"], found["thought"]) == (whole, "I tap it.")
    with pytest.raises(ReplyUnusable, match="not marked as a thought"):
        read("mobile_use", f"Change: It opened.\nVerdict: A\n{below}\nThought: x\n{CALL}")


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("mobile_use", f"{LINES}Thought: I tap it.\n{CALL}"),
        ("mobile_use", f"Change: The home screen.\nThought: I tap it.\n{CALL}"),
        ("mobile_use", f"Verdict: none\nThought: I tap it.\n{CALL}"),
        ("mai_ui", f"<thinking>\n{LINES}I tap it.\n</thinking>\n{CALL}"),
        ("ui_tars", f"{LINES}Thought: I tap it.\nAction: click(start_box='(5,6)')"),
        ("autoglm", f'<think>\n{LINES}I tap it.</think>\n<answer>do(action="Tap", element=[5,6])</answer>'),
        ("", json.dumps({**SAID, "thought": "I tap it.", "action": TAP, "expectation": ""})),
        ("", f"### Change ###\nx\n### Outcome ###\nA\n### Thought ###\nI tap it.\n### Action ###\n{json.dumps(TAP)}"),
    ],
)
def test_a_verdict_that_nobody_asked_for_is_dropped(form: str, text: str) -> None:
    found = parse(in_form(NativeFirstReply, form), text)
    assert (found.thought, found.action.model_dump()) == ("I tap it.", TAP)
    assert found.notes == ("Pin 1234" if "Pin 1234" in text else "")
