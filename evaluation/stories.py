"""What happened in an episode, step by step: its journal as pages show it to people."""

from __future__ import annotations

from dataclasses import dataclass, field

from manyhands.evaluation.episodes import Episode, episode_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.actions import Atom, RunShortcut, points_of
from manyhands.protocol.marks import parameters
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.records import (
    Acted,
    ActionSent,
    Captured,
    Decided,
    Dropped,
    EpisodeEnded,
    EpisodeStarted,
    Noted,
    Perceived,
    Planned,
    Record,
    Reflected,
    Restored,
    Resumed,
    StageFailed,
    StageRecord,
    StageResult,
)
from manyhands.protocol.roles import Decision, Notes, Plan, Reflection
from manyhands.protocol.screens import Screen, Screenshot


@dataclass
class Step:
    """Hold what is shown of one step."""

    number: int
    screenshot: Screenshot | None = None
    screen: Screen | None = None
    plan: Plan | None = None
    decision: Decision | None = None
    atoms: list[Atom] = field(default_factory=list)
    problem: str | None = None
    reflection: Reflection | None = None
    notes: Notes | None = None
    restored: Restored | None = None
    wrong_page: Screenshot | None = None
    """The screen that the action led to, where the page of before was sought since."""
    results: list[StageResult] = field(default_factory=list)
    failures: list[StageFailed] = field(default_factory=list)
    resumed: list[Resumed] = field(default_factory=list)
    """The times that the episode was gone on with here."""
    void: list[Dropped] = field(default_factory=list)
    """What had been found of the step before such a time."""
    times_ms: dict[str, float] = field(default_factory=dict)
    calls: list[ModelCall] = field(default_factory=list)

    @property
    def action(self) -> str:
        return describe(self.decision) if self.decision else ""

    @property
    def marks(self) -> list[dict[str, int]]:
        """Return taps as points and swipes as lines, in pixels of the screenshot."""
        return [mark for atom in self.atoms if (mark := _mark(atom))]


@dataclass
class EpisodeStory:
    """Hold what is shown of one episode."""

    started: EpisodeStarted
    ended: EpisodeEnded | None
    steps: list[Step]
    damaged: int
    """Damaged places in its journal."""

    @property
    def screenshots(self) -> list[Screenshot]:
        """Return the screens that are shown of it."""
        shown = (shot for step in self.steps for shot in (step.screenshot, step.wrong_page))
        return [shot for shot in shown if shot is not None]

    def after(self, step: Step) -> Screenshot | None:
        """Return the screen that the action of a step led to, before anything was restored."""
        if step.wrong_page is not None:
            return step.wrong_page
        return next((later.screenshot for later in self.steps if later.number == step.number + 1), None)


def tell_all(run: RunFolder) -> list[EpisodeStory]:
    """Return the stories of a run in the order in which they started, without journals that have no start."""
    scans = run.journals.values()
    return [tell(one, len(scan.damage)) for scan in scans if (one := episode_of(scan.records)) is not None]


def tell(episode: Episode, damaged: int = 0) -> EpisodeStory:
    """Return the steps of an episode in order."""
    steps: dict[int, Step] = {}
    for record in episode.records:
        number = getattr(record, "step", None)
        if isinstance(record, Resumed):
            steps.setdefault(record.step + 1, Step(record.step + 1)).resumed.append(record)
        elif number is not None:
            _add(steps.setdefault(number, Step(number)), record)
        if isinstance(record, Restored):
            shown = steps.setdefault(record.step + 1, Step(record.step + 1))
            steps[record.step].wrong_page, shown.screenshot = shown.screenshot, record.screenshot
            shown.screen = record.screen
    return EpisodeStory(episode.started, episode.ended, [steps[number] for number in sorted(steps)], damaged)


def _add(step: Step, record: Record) -> None:
    if isinstance(record, StageRecord):
        step.calls.extend(record.calls)
        if not isinstance(record, Captured | StageFailed | Dropped):
            step.times_ms[record.stage] = record.span.ms
    match record:
        case Captured():
            step.screenshot = record.screenshot
            if record.screenshot.settling:
                step.times_ms["settle"] = record.screenshot.settling.ms
            step.times_ms[record.stage] = record.screenshot.capture_ms
        case Perceived():
            step.screen = record.screen
        case Planned():
            step.plan = record.plan
        case Decided():
            step.decision = record.decision
        case ActionSent():
            step.atoms.append(record.action)
        case Acted():
            step.problem = record.problem
        case Reflected():
            step.reflection = record.reflection
        case Noted():
            step.notes = record.notes
        case Restored():
            step.restored = record
        case StageResult():
            step.results.append(record)
        case StageFailed():
            step.failures.append(record)
        case Dropped() if not record.assumed:
            step.void.append(record)


def describe(decision: Decision) -> str:
    """Return an action in one line for people."""
    action = decision.action
    if action is None:
        return "no action"
    if isinstance(action, RunShortcut):
        return f"{action.shortcut} {', '.join(f'{name}={value}' for name, value in action.arguments.items())}"
    points = " to ".join(map(str, points_of(action)))
    words: list[str] = [action.name, points] if points else [action.name]
    words += [one.mark.shown(getattr(action, one.field), at_point=bool(points)) for one in parameters(type(action))]
    return " ".join(filter(None, words))


def _mark(atom: Atom) -> dict[str, int] | None:
    points = points_of(atom)
    return {"x1": points[0][0], "y1": points[0][1], "x2": points[-1][0], "y2": points[-1][1]} if points else None
