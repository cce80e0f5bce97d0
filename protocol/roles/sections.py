"""Name the sections of a prompt, and define their text form. Prompts and the rehearsed model share both.

A section is a heading line ``### Name ###`` and the lines up to the next heading. The text of a screen is fenced as
data: no line of it can open a section or close the fence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any

from pydantic import Field

from manyhands.protocol.base import Message, Outcome
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.field_description import describe_fields
from manyhands.protocol.screens.screen import Keyboard
from manyhands.protocol.utilities.invisible_characters import drop_invisible, replace_invisible


class Section(StrEnum):
    GOAL = "User Instruction"
    HINTS = "Hints"
    PHONE = "Phone"
    PLAN = "Overall Plan"
    SUBGOAL = "Current Subgoal"
    PROGRESS = "Progress Status"
    NOTES = "Important Notes"
    STUCK = "Potentially Stuck"
    OPERATIONS = "Completed Operations"
    TRIED = "Tried In Vain"
    SCREEN = "Screen Information"
    SCREEN_AFTER = "Screen Information After"
    KEYBOARD = "Keyboard Status"
    KEYBOARD_AFTER = "Keyboard Status After"
    TIPS = "Tips"
    ACTIONS = "Atomic Actions"
    SHORTCUTS = "Shortcuts"
    HISTORY = "Latest Action History"
    ACTION = "Latest Action"
    SHORTCUT = "Shortcut To Be Used"
    FUTURE = "Tasks Still To Come"
    ANSWER = "Answer Wanted"
    GIVEN = "Answer So Far"
    SENT = "Sent To The Phone"
    DONE = "Actions Of The Agent"
    STATEMENT = "Statement To Judge"
    TASK = "Your Task"
    FORMAT = "Output Format"


FENCE_OPEN = "<data>"
FENCE_CLOSE = "</data>"
NONE_YET = "None yet"
"""The body of a section that has no content so far."""
LONGEST_NAME = 60
"""The most characters of a name that a phone tells, such as an app's label, in a line of a prompt."""
_TAGS: Mapping[str, tuple[str, ...]] = {
    "our fences": ("data",),
    "Qwen, GUI-Owl, MAI-UI": ("tool_call", "tool_response", "tools", "think", "thinking"),
    "AutoGLM": ("answer", "sop", "eop"),
    "UI-Venus": ("action", "conclusion"),
    "UI-TARS": ("point", "bbox", "tool_call"),
    "Holo": ("observation", "tool_output", "output_format"),
    "Gemma": ("start_of_turn", "end_of_turn", "start_of_image", "end_of_image", "bos", "eos", "pad"),
    "Llama 2, Mistral": ("s", "unk", "SYS"),
}
"""The names of tags that models take for marks of their chat, by who does. Some are single tokens wherever they stand.
(Tags that begin with ``<|`` are broken up in any text.)"""
_XML_CALLS = ("function", "parameter")
"""The names before ``=`` in the tags of Qwen3.5's calls."""
_BRACKETS: Mapping[str, tuple[str, ...]] = {
    "Llama 2, Mistral": ("INST", "SYSTEM_PROMPT", "AVAILABLE_TOOLS", "TOOL_CALLS", "TOOL_RESULTS", "TOOL_CONTENT"),
    "AutoGLM": ("gMASK", "sMASK", "MASK"),
}
"""The names of marks in square brackets."""
_LINE_BREAK = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_HEADING = re.compile(r"^### (.+?) ###$", re.MULTILINE)
_SECTIONS = {section.value: section for section in Section}


@cache
def _mark() -> re.Pattern[str]:
    """Return a pattern for the first character of a model's mark, and of a tag with the name of any reply's field.

    In some forms, such as XML, a field's tag would begin an answer.
    """
    replies = registered_profiles().reply_types.values()
    names = {name for names in _TAGS.values() for name in names}
    names |= {field.name for reply in replies for field in describe_fields(reply)}
    brackets = sorted({name for names in _BRACKETS.values() for name in names})
    tag = rf"/?(?:(?:{'|'.join(sorted(names))})(?:[\s/][^<>]{{0,200}})?>|(?:{'|'.join(_XML_CALLS)})\s*(?:=|>)|[|｜])"
    return re.compile(rf"<(?={tag})|\[(?=/?(?:{'|'.join(brackets)})\])", re.IGNORECASE)


@cache
def _unprinted() -> re.Pattern[str]:
    return re.compile(f"[\x7f-\x9f\u2028\u2029]|{_mark().pattern}", re.IGNORECASE)


def has_mark(text: str) -> bool:
    """Return whether a text has a mark of a model's chat, or a tag with the name of a reply's field."""
    return _mark().search(text) is not None


def _break_marks(text: str) -> str:
    """Return ``text`` without invisible characters, which may hide a mark, and with a blank in each mark of a chat."""
    return _mark().sub(r"\g<0> ", drop_invisible(text))


def heading(section: Section) -> str:
    return f"### {section.value} ###"


def harmless(text: str) -> str:
    """Return ``text`` so that no part of it can be taken for one of our headings or fences, or for a model's mark.

    Such parts are broken up by a blank or a backslash. Invisible characters are left out. Idempotent.
    """
    lines = _LINE_BREAK.sub("\n", _break_marks(text)).split("\n")
    return "\n".join("\\" + line if line.lstrip().startswith("###") else line for line in lines)


def fenced(text: str) -> str:
    """Return ``text`` between fences. The text itself is made harmless first."""
    return f"{FENCE_OPEN}\n{harmless(text)}\n{FENCE_CLOSE}"


def fenced_name(name: str) -> str:
    """Return a name that a phone tells, between fences on one line."""
    return f"{FENCE_OPEN}{short_name(name)}{FENCE_CLOSE}"


def short_name(name: str) -> str:
    """Return a name that a phone tells as part of a line, cut where it is too long."""
    line = one_line(name)
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 1].rstrip()}…"


def unfenced(body: str) -> list[str]:
    """Return the lines between the first pair of fences in a section's body; empty without fences."""
    lines = body.split("\n")
    if FENCE_OPEN not in lines or FENCE_CLOSE not in lines:
        return []
    return lines[lines.index(FENCE_OPEN) + 1 : lines.index(FENCE_CLOSE)]


def split_sections(prompt: str) -> dict[Section, str]:
    """Return the sections of a prompt by name, bodies stripped; unknown headings are ignored."""
    bodies: dict[Section, str] = {}
    marks = list(_HEADING.finditer(prompt))
    ends = [mark.start() for mark in marks[1:]] + [len(prompt)]
    for mark, end in zip(marks, ends, strict=False):
        section = _SECTIONS.get(mark[1])
        if section is not None:
            bodies[section] = prompt[mark.end() : end].strip()
    return bodies


class ListedElement(Message):
    """Describe an element as a prompt lists it, in the model's coordinates."""

    number: int = Field(ge=1)
    """The element's number in the list, from 1."""
    kind: str
    x: int
    y: int
    content: str
    facts: tuple[str, ...] = ()
    """What the phone tells of the control there, such as ``checked``."""


_LISTED = re.compile(r"^([1-9][0-9]{0,5})\. \(([0-9]{1,6}), ([0-9]{1,6})\) (text|icon)(?:: (.*))?$")


def element_line(element: ListedElement) -> str:
    """Return ``N. (x, y) kind: content``; line breaks in the content become blanks."""
    content = " ".join(element.content.split())
    place = f"{element.number}. ({element.x}, {element.y}) {element.kind}"
    return place + (f": {content}" if content else "")


def parse_element_line(line: str) -> ListedElement | None:
    """Parse a line of ``element_line``; return None for any other line."""
    match = _LISTED.match(line)
    if match is None:
        return None
    number, x, y = int(match[1]), int(match[2]), int(match[3])
    return ListedElement(number=number, x=x, y=y, kind=match[4], content=match[5] or "")


# ---------------------------------------------------------------------------- the screen
class ListedScreen(Message):
    """Describe a screen as a prompt lists it: its size and its elements, in the model's coordinates."""

    width: int
    height: int
    elements: tuple[ListedElement, ...]
    remarks: tuple[str, ...] = ()
    """Sentences in our own words about the screen."""


_SCREEN_SIZE = re.compile(r"^Screen: (\d+) x (\d+)")


def screen_body(screen: ListedScreen) -> str:
    """Return the section's text: the screen's size, a line for each remark, then a fenced line for each element."""
    return screen_lines(screen, "\n".join(map(element_line, screen.elements)), unit=" in model units")


def screen_lines(screen: ListedScreen, elements: str, unit: str = "") -> str:
    """Return the screen's size and a line for each remark, then the text of the elements between fences."""
    return f"{screen_head(screen, unit)}\n{fenced(elements)}"


def screen_head(screen: ListedScreen, unit: str = "") -> str:
    """Return the screen's size and a line for each remark."""
    return "\n".join((f"Screen: {screen.width} x {screen.height}{unit}.", *screen.remarks))


def parse_screen_body(body: str) -> ListedScreen | None:
    """Parse a text of ``screen_body`` without its remarks; return None for any other text."""
    size = _SCREEN_SIZE.match(body)
    if size is None:
        return None
    elements = tuple(element for line in unfenced(body) if (element := parse_element_line(line)) is not None)
    return ListedScreen(width=int(size[1]), height=int(size[2]), elements=elements)


def keyboard_body(state: Keyboard, explanation: str) -> str:
    """Return a text whose first line is the state and whose second line explains it."""
    return f"{state}\n{explanation}"


# ---------------------------------------------------------------------------- actions
class ActionLine(Message):
    """Hold an action as a prompt shows it: the JSON object that the model would write, in the model's coordinates."""

    action: dict[str, Any] | None
    """None if the model's output was no action."""
    expectation: str
    touched: str = ""
    """What a tap touched, by its name; empty if nothing is known of it."""


class HistoryLine(ActionLine):
    """Hold a step of the history: its action and the verdict."""

    step: int
    outcome: Outcome | None
    """None in a loop without verdicts."""
    error: str


class OperationLine(ActionLine):
    """Hold an operation that was performed, and the thought before it (Mobile-Agent-v2, tables 7 to 9)."""

    step: int
    thought: str


_UNJUDGED = "unjudged"
_NOTHING = "none"
_STEP = re.compile(r"^Step (\d+) \| ")
_TOUCHED = r"(?: \| touched: (?P<touched>[^|]*))?"
_AFTER_ACTION = re.compile(rf"^{_TOUCHED} \| expected: (?P<expected>[^|]*)$")
_AFTER_OPERATION = re.compile(rf"^{_TOUCHED} \| expected: (?P<expected>[^|]*) \| thought: (?P<thought>[^|]*)$")
_AFTER_JUDGED = re.compile(
    rf"^{_TOUCHED}(?: \| expected: (?P<expected>[^|]*))?"
    r" \| outcome: (?P<outcome>[ABC]|unjudged)(?: \| error: (?P<error>[^|]*))?$"
)
_DECODER = json.JSONDecoder()


def one_line(text: str) -> str:
    """Return ``text`` as part of a line: ``harmless``, line breaks become blanks and bars become slashes."""
    return _break_marks(" ".join(drop_invisible(text).split()).replace("|", "/"))


def action_line(line: ActionLine) -> str:
    """Return ``{"name": ...} | touched: ... | expected: ...``, always one line.

    If nothing is known of what was touched, that part is missing.
    """
    return f"{_action_and_touched(line)} | expected: {one_line(line.expectation) or _NOTHING}"


def _action_and_touched(line: ActionLine) -> str:
    touched = one_line(line.touched)
    return action_json(line.action) + (f" | touched: {touched}" if touched else "")


def action_json(action: dict[str, Any] | None) -> str:
    """Return an action as JSON on one line. It escapes only line breaks, hidden characters and marks of chats."""
    text = json.dumps(action, ensure_ascii=False)
    shown = replace_invisible(text, lambda char: json.dumps(char)[1:-1])
    return _unprinted().sub(lambda match: f"\\u{ord(match[0]):04x}", shown)


def parse_action_line(text: str) -> ActionLine | None:
    """Parse a line of ``action_line``; return None for any other line."""
    read = _read_action(text, _AFTER_ACTION)
    return None if read is None else read[0]


def _read_action(text: str, after: re.Pattern[str]) -> tuple[ActionLine, re.Match[str]] | None:
    """Parse an action, and after it what it touched and its expectation, which may be missing.

    ``after`` matches all that follows the action. Return None for any other text.
    """
    try:
        action, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    match = after.match(text[end:])
    if match is None or not (action is None or isinstance(action, dict)):
        return None
    touched, expectation = match["touched"] or "", _something(match["expected"] or "")
    return ActionLine(action=action, expectation=expectation, touched=touched), match


def history_line(line: HistoryLine, short: bool = False) -> str:
    """Return ``Step 3 | {"name": ...} | touched: ... | expected: ... | outcome: B | error: ...``, always one line.

    With ``short``, what was expected of an action with outcome A is left out, and so is an empty error.
    """
    outcome, error = line.outcome or _UNJUDGED, one_line(line.error)
    action = _action_and_touched(line) if short and line.outcome is Outcome.A else action_line(line)
    judged = f"Step {line.step} | {action} | outcome: {outcome}"
    return judged if short and not error else f"{judged} | error: {error or _NOTHING}"


def parse_history_line(text: str) -> HistoryLine | None:
    """Parse a line of ``history_line``, with texts as ``one_line`` changed them; return None for any other line."""
    step = _STEP.match(text)
    read = _read_action(text[step.end() :], _AFTER_JUDGED) if step else None
    if step is None or read is None:
        return None
    action, match = read
    return HistoryLine(
        **action.model_dump(),
        step=int(step[1]),
        outcome=None if match["outcome"] == _UNJUDGED else Outcome(match["outcome"]),
        error=_something(match["error"] or ""),
    )


def operation_line(line: OperationLine) -> str:
    """Return ``Step 3 | {"name": ...} | touched: ... | expected: ... | thought: ...``, always one line."""
    return f"Step {line.step} | {action_line(line)} | thought: {one_line(line.thought) or _NOTHING}"


def parse_operation_line(text: str) -> OperationLine | None:
    """Parse a line of ``operation_line``, with texts as ``one_line`` changed them; return None for any other line."""
    step = _STEP.match(text)
    read = _read_action(text[step.end() :], _AFTER_OPERATION) if step else None
    if step is None or read is None:
        return None
    action, match = read
    return OperationLine(**action.model_dump(), step=int(step[1]), thought=_something(match["thought"]))


def _something(text: str) -> str:
    return "" if text == _NOTHING else text
