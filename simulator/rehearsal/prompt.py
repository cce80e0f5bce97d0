"""What the rehearsed model reads out of a prompt's sections. A missing section is empty."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from manyhands.protocol.base import Outcome
from manyhands.protocol.sections import (
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
from manyhands.simulator.rehearsal.pages import Line, Sight

_OFFERED = re.compile(r"^([A-Z][A-Za-z0-9_]*)\(([^)]*)\)", re.MULTILINE)
_TOLD = re.compile(r"^([A-Z][A-Za-z0-9_]*)\([^)]*\): (.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*\d+[.)]\s*(.+?)\s*$", re.MULTILINE)
_LABELLED = re.compile(r"^[-* ]*([^:：]+)[:：]\s*(.+?)\s*$", re.MULTILINE)
_NOTHING = {"", NONE_YET, "None"}


@dataclass(frozen=True, slots=True)
class Reading:
    """A prompt by its sections, in the forms that behaviours need."""

    sections: Mapping[Section, str]

    def text(self, section: Section) -> str:
        """Return a section's body; empty where it is missing or nothing is known."""
        body = self.sections.get(section, "")
        return "" if body in _NOTHING else body

    @property
    def missing_instructions(self) -> str | None:
        """Return which of the sections without which no role knows what to write is missing."""
        needed = (Section.GOAL, Section.TASK, Section.FORMAT)
        return next((section.value for section in needed if not self.text(section)), None)

    @property
    def asks_subgoal(self) -> bool:
        """Return whether the reflector is also asked if the subgoal is reached."""
        return re.search(r"\bsubgoal[_ ]reached\b", self.text(Section.TASK), re.IGNORECASE) is not None

    # ------------------------------------------------------------------ what is known
    @property
    def plan(self) -> list[str]:
        """Return the numbered lines of the plan."""
        return _NUMBERED.findall(self.text(Section.PLAN))

    @property
    def notes(self) -> dict[str, str]:
        """Return values by label, from lines ``label: value``."""
        return {label.strip(): value for label, value in _LABELLED.findall(self.text(Section.NOTES))}

    @property
    def history(self) -> list[HistoryLine]:
        """Return the steps of E's history; of v2 the completed operations, and then those that were in vain."""
        lines = self.text(Section.HISTORY).splitlines()
        found = [parsed for line in lines if (parsed := parse_history_line(line)) is not None]
        done = [HistoryLine(**one.model_dump(), outcome=Outcome.A, error="") for one in self.operations]
        return [*done, *self.tried, *found]

    @property
    def operations(self) -> list[OperationLine]:
        """Return the operations that did what they were meant to do (Mobile-Agent-v2)."""
        lines = self.text(Section.OPERATIONS).splitlines()
        return [parsed for line in lines if (parsed := parse_operation_line(line)) is not None]

    @property
    def tried(self) -> list[HistoryLine]:
        """Return the operations that were in vain since (Mobile-Agent-v2)."""
        lines = self.text(Section.TRIED).splitlines()
        return [parsed for line in lines if (parsed := parse_history_line(line)) is not None]

    @property
    def latest_action(self) -> tuple[dict[str, Any], str] | None:
        """Return the latest action as the model wrote it, and what was expected of it."""
        parsed = parse_action_line(self.text(Section.ACTION).split("\n")[0])
        return None if parsed is None or parsed.action is None else (parsed.action, parsed.expectation)

    # ------------------------------------------------------------------ what may be done
    @property
    def actions(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the actions that are offered, with the arguments that each of them takes."""
        offered = _OFFERED.findall(self.text(Section.ACTIONS))
        return {name: tuple(one.strip() for one in arguments.split(",")) for name, arguments in offered}

    @property
    def shortcuts(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the shortcuts that are offered, with the arguments that each of them takes."""
        offered = _OFFERED.findall(self.text(Section.SHORTCUTS))
        return {name: tuple(one.strip() for one in arguments.split(",") if one.strip()) for name, arguments in offered}

    @property
    def shortcuts_told(self) -> dict[str, str]:
        """Return what is told of each shortcut, its precondition included."""
        return dict(_TOLD.findall(self.text(Section.SHORTCUTS)))

    def precondition(self, shortcut: str) -> str:
        return self.shortcuts_told.get(shortcut, "").rpartition("Precondition:")[2].strip()

    @property
    def tips(self) -> list[str]:
        """Return the numbered tips."""
        return _NUMBERED.findall(self.text(Section.TIPS))

    @property
    def closes_popups(self) -> bool:
        """Return whether the tips say that pop-ups are to be closed."""
        return re.search(r"pop-?ups?|弹窗", self.text(Section.TIPS), re.IGNORECASE) is not None

    @property
    def keyboard(self) -> bool | None:
        """Return whether the keyboard is shown; None where that is unknown."""
        words = self.text(Section.KEYBOARD).split()
        return {"shown": True, "hidden": False}.get(words[0]) if words else None

    # ------------------------------------------------------------------ the screen, as listed
    @property
    def screen(self) -> ListedPage | None:
        listed = parse_screen_body(self.text(Section.SCREEN))
        if listed is None:
            return None
        return ListedPage(listed.width, listed.height, listed.elements)

    def sight(self, screen: ListedPage) -> Sight:
        """Return what the operator sees: the list, and the other sections."""
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
    """Return the text that a step of the history has typed, whatever was thought of it.

    A shortcut that changed nothing was not begun: it did not fit its screen.
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
    """The element list of a prompt, in the model's units: ``width`` and ``height`` of them."""

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
        """Return the text that now stands where a tap went; empty for other actions, and where no text is."""
        if action is None or action.get("name") != "Tap":
            return ""
        x, y = action.get("x", 0) / self.width, action.get("y", 0) / self.height
        under = [line for line in self.lines if line.text and abs(line.y - y) < 0.01 and abs(line.x - x) < 0.02]
        return under[0].text if under else ""

    def point(self, x: float, y: float) -> tuple[int, int]:
        """Return a place given in shares of the screen, in the model's units."""
        return round(x * self.width), round(y * self.height)
