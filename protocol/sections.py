"""The names of a prompt's sections, and the text form that prompts and the rehearsed model share.

A section is a heading line ``### Name ###`` and the lines up to the next heading. What a screen says is
fenced as data: a line of it can neither open a section nor close the fence.
"""

from __future__ import annotations

import re
from enum import StrEnum

from protocol.base import Message


class Section(StrEnum):
    GOAL = "User Instruction"
    HINTS = "Hints"
    PLAN = "Overall Plan"
    SUBGOAL = "Current Subgoal"
    PROGRESS = "Progress Status"
    NOTES = "Important Notes"
    STUCK = "Potentially Stuck"
    SCREEN = "Screen Information"
    SCREEN_AFTER = "Screen Information After"
    KEYBOARD = "Keyboard Status"
    TIPS = "Tips"
    ACTIONS = "Atomic Actions"
    SHORTCUTS = "Shortcuts"
    HISTORY = "Latest Action History"
    ACTION = "Latest Action"
    TASK = "Your Task"
    FORMAT = "Output Format"


FENCE_OPEN = "<data>"
FENCE_CLOSE = "</data>"
_HEADING = re.compile(r"^### (.+?) ###$", re.MULTILINE)
_SECTIONS = {section.value: section for section in Section}


def heading(section: Section) -> str:
    return f"### {section.value} ###"


def fenced(text: str) -> str:
    """``text`` between fences, with everything in it that could be taken for ours made harmless."""
    safe = text.replace(FENCE_CLOSE, "< /data>").replace(FENCE_OPEN, "< data>")
    safe = "\n".join("\\" + line if line.startswith("###") else line for line in safe.splitlines())
    return f"{FENCE_OPEN}\n{safe}\n{FENCE_CLOSE}"


def split_sections(prompt: str) -> dict[Section, str]:
    """The sections of a prompt by name, bodies stripped; unknown headings are ignored."""
    found: dict[Section, str] = {}
    marks = list(_HEADING.finditer(prompt))
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        section = _SECTIONS.get(mark[1])
        if section is not None:
            found[section] = prompt[mark.end() : following.start() if following else len(prompt)].strip()
    return found


class ListedElement(Message):
    """An element as a prompt lists it, in the coordinates of the model."""

    kind: str
    x: int
    y: int
    content: str


_LISTED = re.compile(r"^\((\d+), (\d+)\) (text|icon)(?:: (.*))?$")


def element_line(element: ListedElement) -> str:
    """One line of the element list; line breaks in the content become blanks."""
    content = " ".join(element.content.split())
    return f"({element.x}, {element.y}) {element.kind}" + (f": {content}" if content else "")


def parse_element_line(line: str) -> ListedElement | None:
    """The inverse of :func:`element_line`; None for any other line."""
    match = _LISTED.match(line)
    if match is None:
        return None
    return ListedElement(x=int(match[1]), y=int(match[2]), kind=match[3], content=match[4] or "")
