"""Prepare the steps of an episode for pages, from its journal."""

from __future__ import annotations

from dataclasses import dataclass, field

from manyhands.evaluation.episodes import RecordedEpisode
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    NotesTaken,
    Perceived,
    Planned,
    Record,
    Reflected,
    Restored,
    Resumed,
    RubricsChecked,
    ScreenCaptured,
    StageDropped,
    StageFailed,
    StageRecord,
    StageResult,
    StatementJudged,
)
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.requests import Decision, Notes, Plan, Reflection
from manyhands.protocol.screens.actions import Action, AtomicAction, RunShortcut, points_of
from manyhands.protocol.screens.argument_types import parameters
from manyhands.protocol.screens.screen import Screen, Screenshot


@dataclass
class StepView:
    """Hold one step of an episode for a page."""

    number: int
    screenshot: Screenshot | None = None
    screen: Screen | None = None
    plan: Plan | None = None
    decision: Decision | None = None
    atoms: list[AtomicAction] = field(default_factory=list)
    problem: str | None = None
    dropped: str = ""
    """Why actions that were to follow at once were not sent."""
    reflection: Reflection | None = None
    notes: Notes | None = None
    restored: Restored | None = None
    person: str = ""
    """Who acted in this step while the episode was taken over; empty for a step of the agent."""
    wrong_page: Screenshot | None = None
    """The screen after the action, if the episode then went back to the page from before the action."""
    results: list[StageResult] = field(default_factory=list)
    failures: list[StageFailed] = field(default_factory=list)
    resumed: list[Resumed] = field(default_factory=list)
    """The records of resumptions before this step."""
    void: list[StageDropped] = field(default_factory=list)
    """Results for this step that an interruption has discarded."""
    times_ms: dict[str, float] = field(default_factory=dict)
    stages: list[StageRecord] = field(default_factory=list)
    """The records of all stages of this step, with those that failed, were dropped or were discarded."""
    rubrics_held: tuple[str, ...] = ()

    @property
    def calls(self) -> list[ModelCall]:
        """Return the model calls of the step's stages, in the order of the records."""
        return [call for record in self.stages for call in record.calls]

    @property
    def action(self) -> str:
        if self.person:
            return f"{self.person}: {'; '.join(map(describe_action, self.atoms))}"
        words = describe_decision(self.decision) if self.decision else ""
        return f"{words}; not all was sent: {self.dropped}" if self.dropped else words

    @property
    def touches(self) -> list[dict[str, int]]:
        """Return taps as points and swipes as lines, in pixels of the screenshot."""
        return [mark for atom in self.atoms if (mark := _touch(atom))]


@dataclass
class EpisodePage:
    """Hold one episode for a page."""

    episode: RecordedEpisode
    steps: list[StepView]
    damaged: int
    """The number of damaged places in the episode's journal."""
    judged: list[StatementJudged] = field(default_factory=list)
    """What a model said of the statements in the task's check."""

    @property
    def started(self) -> EpisodeStarted:
        return self.episode.started

    @property
    def ended(self) -> EpisodeEnded | None:
        return self.episode.ended

    @property
    def screenshots(self) -> list[Screenshot]:
        """Return the screenshots that the page shows."""
        shots = (shot for step in self.steps for shot in (step.screenshot, step.wrong_page))
        return [*(shot for shot in shots if shot is not None), *self.judged_screens]

    @property
    def judged_screens(self) -> list[Screenshot]:
        """Return the screens that the judge of the check was shown last, the newest last."""
        return list(self.judged[-1].screens) if self.judged else []

    def after(self, step: StepView) -> Screenshot | None:
        """Return the screen right after a step's action, before the episode went back; None if there is none."""
        if step.wrong_page is not None:
            return step.wrong_page
        return next((later.screenshot for later in self.steps if later.number == step.number + 1), None)


def view_episode(episode: RecordedEpisode, damaged: int = 0) -> EpisodePage:
    """Return the view of an episode, with its steps in order."""
    steps: dict[int, StepView] = {}
    for record in episode.records:
        number = getattr(record, "step", None)
        if isinstance(record, Resumed):
            steps.setdefault(record.step + 1, StepView(record.step + 1)).resumed.append(record)
        elif number is not None:
            _add(steps.setdefault(number, StepView(number)), record)
        if isinstance(record, Restored):
            after = steps.setdefault(record.step + 1, StepView(record.step + 1))
            steps[record.step].wrong_page, after.screenshot = after.screenshot, record.screenshot
            after.screen = record.screen
    judged = [record for record in episode.records if isinstance(record, StatementJudged)]
    return EpisodePage(episode, [steps[number] for number in sorted(steps)], damaged, judged)


def _add(step: StepView, record: Record) -> None:
    if isinstance(record, StageRecord):
        step.stages.append(record)
        if not isinstance(record, ScreenCaptured | StageFailed | StageDropped):
            step.times_ms[record.stage] = record.span.ms
    match record:
        case ScreenCaptured():
            step.screenshot = record.screenshot
            if record.screenshot.settling:
                step.times_ms["settle"] = record.screenshot.settling.ms
            step.times_ms[record.stage] = record.screenshot.capture_ms
        case Perceived():
            step.screen = record.screen
        case Planned():
            step.plan = record.plan
        case ActionDecided():
            step.decision = record.decision
        case ActionSent():
            step.atoms.append(record.action)
            step.person = record.by
        case Acted():
            step.problem, step.dropped = record.problem, record.dropped
        case Reflected():
            step.reflection = record.reflection
        case RubricsChecked():
            step.rubrics_held = record.held
        case NotesTaken():
            step.notes = record.notes
        case Restored():
            step.restored = record
        case StageResult():
            step.results.append(record)
        case StageFailed():
            step.failures.append(record)
        case StageDropped() if not record.assumed:
            step.void.append(record)


def describe_decision(decision: Decision) -> str:
    """Return a decision's action, and those that are to follow at once, in one line for people."""
    if decision.action is None:
        return "no action"
    return ", then ".join(map(describe_action, (decision.action, *decision.then)))


def describe_action(action: Action) -> str:
    """Return an action in one line for people."""
    if isinstance(action, RunShortcut):
        return f"{action.shortcut} {', '.join(f'{name}={value}' for name, value in action.arguments.items())}"
    points = " to ".join(map(str, points_of(action)))
    words: list[str] = [action.name, points] if points else [action.name]
    words += [one.mark.shown(getattr(action, one.field), at_point=bool(points)) for one in parameters(type(action))]
    return " ".join(filter(None, words))


def _touch(atom: AtomicAction) -> dict[str, int] | None:
    points = points_of(atom)
    return {"x1": points[0][0], "y1": points[0][1], "x2": points[-1][0], "y2": points[-1][1]} if points else None
