"""Read a prompt's sections for the rehearsed model. A missing section is empty."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manyhands.protocol.base import Outcome, Reply
from manyhands.protocol.roles.field_description import describe_fields
from manyhands.protocol.roles.sections import (
    NONE_YET,
    HistoryLine,
    ListedElement,
    OperationLine,
    Section,
    parse_action_line,
    parse_history_line,
    parse_operation_line,
    parse_screen_body,
)
from manyhands.protocol.screens.element_rows import parse_elements
from manyhands.simulator.rehearsal.pages import Line, Sight

_OFFERED = re.compile(r"^([A-Z][A-Za-z0-9_]*)\(([^)]*)\)", re.MULTILINE)
_TOLD = re.compile(r"^([A-Z][A-Za-z0-9_]*)\([^)]*\): (.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*\d+[.)]\s*(.+?)\s*$", re.MULTILINE)
_LABELLED = re.compile(r"^[-* ]*([^:：]+)[:：]\s*(.+?)\s*$", re.MULTILINE)
_NOTHING = {"", NONE_YET, "None"}


@dataclass(frozen=True, slots=True)
class Reading:
    """Hold a prompt's sections, and return them in the forms that roles need."""

    sections: Mapping[Section, str]

    def text(self, section: Section) -> str:
        """Return a section's body; empty if the section is missing or has no content yet."""
        body = self.sections.get(section, "")
        return "" if body in _NOTHING else body

    @property
    def missing_instructions(self) -> str | None:
        """Return the first missing section without which no role can answer; None if none is missing."""
        needed = (Section.GOAL, Section.TASK, Section.FORMAT)
        return next((section.value for section in needed if not self.text(section)), None)

    @property
    def asks_subgoal(self) -> bool:
        """Return whether the prompt also asks the reflector if the subgoal is reached."""
        return re.search(r"\bsubgoal[_ ]reached\b", self.text(Section.TASK), re.IGNORECASE) is not None

    def asks_for(self, reply: type[Reply]) -> bool:
        """Return whether the prompt explains all fields of a reply."""
        told = self.text(Section.FORMAT)
        return all(field.text in told for field in describe_fields(reply))

    # ------------------------------------------------------------------ what is known
    @property
    def plan(self) -> list[str]:
        """Return the numbered lines of the plan."""
        return _NUMBERED.findall(self.text(Section.PLAN))

    @property
    def notes(self) -> dict[str, str]:
        """Return the values of notes by label, from lines ``label: value``."""
        return {label.strip(): value for label, value in _LABELLED.findall(self.text(Section.NOTES))}

    @property
    def history(self) -> list[HistoryLine]:
        """Return the steps of the history (profile E), or the completed operations and then the failed ones (v2)."""
        lines = self.text(Section.HISTORY).splitlines()
        found = [parsed for line in lines if (parsed := parse_history_line(line)) is not None]
        done = [HistoryLine(**one.model_dump(), outcome=Outcome.A, error="") for one in self.operations]
        return [*done, *self.tried, *found]

    @property
    def operations(self) -> list[OperationLine]:
        """Return the operations that were completed (Mobile-Agent-v2)."""
        lines = self.text(Section.OPERATIONS).splitlines()
        return [parsed for line in lines if (parsed := parse_operation_line(line)) is not None]

    @property
    def tried(self) -> list[HistoryLine]:
        """Return the operations that failed since the last completed one (Mobile-Agent-v2)."""
        lines = self.text(Section.TRIED).splitlines()
        return [parsed for line in lines if (parsed := parse_history_line(line)) is not None]

    @property
    def latest_action(self) -> tuple[dict[str, Any], str] | None:
        """Return the latest action as the model wrote it, and its expectation."""
        parsed = parse_action_line(self.text(Section.ACTION).split("\n")[0])
        return None if parsed is None or parsed.action is None else (parsed.action, parsed.expectation)

    # ------------------------------------------------------------------ what may be done
    @property
    def actions(self) -> dict[str, tuple[str, ...]]:
        """Return the actions that are offered, by name, with the arguments of each."""
        offered = _OFFERED.findall(self.text(Section.ACTIONS))
        return {name: tuple(one.strip() for one in arguments.split(",")) for name, arguments in offered}

    @property
    def shortcuts(self) -> dict[str, tuple[str, ...]]:
        """Return the shortcuts that are offered, by name, with the arguments of each."""
        offered = _OFFERED.findall(self.text(Section.SHORTCUTS))
        return {name: tuple(one.strip() for one in arguments.split(",") if one.strip()) for name, arguments in offered}

    @property
    def shortcuts_told(self) -> dict[str, str]:
        """Return what the prompt says of each shortcut, including its precondition."""
        return dict(_TOLD.findall(self.text(Section.SHORTCUTS)))

    def precondition(self, shortcut: str) -> str:
        return self.shortcuts_told.get(shortcut, "").rpartition("Precondition:")[2].strip()

    @property
    def tips(self) -> list[str]:
        """Return the numbered tips."""
        return _NUMBERED.findall(self.text(Section.TIPS))

    @property
    def closes_popups(self) -> bool:
        """Return whether the tips say that pop-ups must be closed."""
        return re.search(r"pop-?ups?|弹窗", self.text(Section.TIPS), re.IGNORECASE) is not None

    @property
    def keyboard(self) -> bool | None:
        """Return whether the keyboard is shown; None if that is unknown."""
        words = self.text(Section.KEYBOARD).split()
        return {"shown": True, "hidden": False}.get(words[0]) if words else None

    # ------------------------------------------------------------------ the screen, as listed
    @property
    def screen(self) -> ListedPage | None:
        body = self.text(Section.SCREEN)
        listed = parse_screen_body(body)
        if listed is None:
            return None
        return ListedPage(listed.width, listed.height, parse_elements(body))

    def sight(self, screen: ListedPage) -> Sight:
        """Return what the operator sees: the list of elements, and the other sections."""
        history = list(reversed(self.history))
        return Sight(
            lines=tuple(line for line in screen.lines if line.text),
            icons=tuple(line for line in screen.lines if not line.text),
            keyboard=self.keyboard,
            notes=self.notes,
            progress=self.text(Section.PROGRESS),
            typed=tuple(text for entry in history if (text := _typed(entry))),
            tapped=tuple(text for entry in history if (text := screen.text_at(entry.action))),
        )


def _typed(entry: HistoryLine) -> str | None:
    """Return the text that a step of the history typed, whatever its verdict; None if it typed none.

    A shortcut with outcome C has typed nothing: its precondition did not hold, so it was not begun.
    """
    if entry.action is None:
        return None
    if entry.action.get("name") == "Type":
        return str(entry.action.get("text", ""))
    return None if entry.outcome is Outcome.C else shortcut_arguments(entry.action).get("text")


def shortcut_arguments(action: Mapping[str, Any]) -> dict[str, str]:
    """Return the arguments of a shortcut's call by name; empty for other actions."""
    arguments = action.get("arguments")
    if action.get("name") != "Shortcut" or not isinstance(arguments, list):
        return {}
    return {str(entry.get("name")): str(entry.get("value")) for entry in arguments if isinstance(entry, dict)}


@dataclass(frozen=True, slots=True)
class ListedPage:
    """Hold the list of elements in a prompt. ``width`` and ``height`` are in the model's units, like all places."""

    width: int
    height: int
    elements: tuple[ListedElement, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(
            Line(element.content if element.kind == "text" else "", element.x / self.width, element.y / self.height)
            for element in self.elements
        )

    def text_at(self, action: Mapping[str, Any] | None) -> str:
        """Return the text that is now at the place of a tap; empty for other actions, or if there is no text."""
        if action is None or action.get("name") != "Tap":
            return ""
        x, y = action.get("x", 0) / self.width, action.get("y", 0) / self.height
        under = [line for line in self.lines if line.text and abs(line.y - y) < 0.01 and abs(line.x - x) < 0.02]
        return under[0].text if under else ""

    def point(self, x: float, y: float) -> tuple[int, int]:
        """Return a place, given in shares of the screen, in the model's units."""
        return round(x * self.width), round(y * self.height)
