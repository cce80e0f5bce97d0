"""Read the history of an episode from its journal, for the learners (Mobile-Agent-E, equations 8 and 9). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from manyhands.actors.episode.fold import fold
from manyhands.actors.episode.state import EpisodeState
from manyhands.actors.learning.shortcut_validation import ExecutedStep
from manyhands.protocol.journals.effective_records import effective_records
from manyhands.protocol.journals.records import EpisodeUnpaused, Perceived, Record, Restored, ScreenCaptured
from manyhands.protocol.roles.lessons import LearnedFrom
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.requests import PastAction
from manyhands.protocol.screens.actions import Home, OpenApp, RunShortcut, Type
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screen, Screenshot


@dataclass(frozen=True, slots=True)
class History:
    """Hold what learners are shown of an episode."""

    plan: str
    progress: str
    notes: str
    past: tuple[PastAction, ...]
    """All actions that were judged, with outcomes and errors."""
    executed: tuple[ExecutedStep, ...]
    """The same actions, each with the screen before the action."""
    memory: LongTermMemory
    """The tips and shortcuts that the episode was given."""
    episode: str
    serial: str
    _shots: Mapping[int, Screenshot]
    _answers: tuple[str, ...] = ()
    """What persons answered the agent."""

    @property
    def size(self) -> Size:
        """Return the size of the first screenshot, in pixels."""
        return next(iter(self._shots.values())).size

    def source(self, step: int) -> LearnedFrom:
        """Return the origin of a lesson that begins with a step: episode, phone, app.

        If the step opens an app or goes home, the origin names no app: it does not matter which app was in front.
        """
        shot = self._shots.get(step)
        action = next((one.action for one in self.executed if one.step == step), None)
        app = "" if shot is None or isinstance(action, OpenApp | Home) else shot.app or ""
        return LearnedFrom(
            episode=self.episode,
            serial=self.serial,
            size=None if shot is None else shot.size,
            app=app,
            app_version=(shot.app_version or "") if shot is not None and app else "",
        )

    @property
    def personal_texts(self) -> tuple[str, ...]:
        """Return typed texts, noted lines and answers of persons. No lesson that other tasks read may hold them."""
        typed = [one.action.text for one in self.past if isinstance(one.action, Type)]
        arguments = [
            text for one in self.past if isinstance(one.action, RunShortcut) for text in self._typed(one.action)
        ]
        note_lines = [line.strip(" \t-*•") for line in self.notes.splitlines()]
        return tuple(dict.fromkeys(text for text in (*typed, *arguments, *note_lines, *self._answers) if text))

    def _typed(self, used: RunShortcut) -> Iterator[str]:
        """Yield the values of a shortcut's arguments that were typed.

        Other values, such as a page's name, are not personal data.
        """
        for shortcut in self.memory.shortcuts:
            if shortcut.name == used.shortcut:
                mapped = [step.arguments_map.get("text") for step in shortcut.steps if step.name == "Type"]
                yield from (text for name in mapped if isinstance(text := used.arguments.get(str(name)), str))


def history_of(records: Sequence[Record]) -> History | None:
    """Return the history of an episode. Return None if none of its actions was judged."""
    stand = effective_records(records)
    state: EpisodeState = reduce(fold, stand, EpisodeState())
    shots: dict[int, Screenshot] = {}
    screens: dict[int, Screen] = {}
    for record in stand:
        if isinstance(record, ScreenCaptured):
            shots[record.step] = record.screenshot
        elif isinstance(record, Perceived):
            screens[record.step] = record.screen
        elif isinstance(record, Restored):
            shots[record.step + 1], screens[record.step + 1] = record.screenshot, record.screen
    past = state.history(state.last_step + 1, len(state.steps))
    if state.started is None or not past or not shots:
        return None
    plan = state.plan(state.last_step)
    return History(
        plan="" if plan is None else plan.text,
        progress=state.progress(state.last_step),
        notes=state.notes(state.last_step),
        past=past,
        executed=tuple(
            ExecutedStep(one.step, one.action, one.outcome, screens.get(one.step)) for one in past if not one.by_person
        ),
        memory=state.started.memory,
        episode=state.started.episode,
        serial=state.started.serial,
        _shots=dict(sorted(shots.items())),
        _answers=tuple(one.answer for one in stand if isinstance(one, EpisodeUnpaused) and one.answer),
    )
