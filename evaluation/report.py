"""One self-contained HTML page of a run: every step with its screenshot, what was seen, done and judged."""

from __future__ import annotations

import base64
import io
import logging
import struct
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

import jinja2
from PIL import Image

from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol import private
from manyhands.protocol.actions import Atom, Axis, Flag, Number, RunShortcut, Seconds, Text, parameters, points_of
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
    StageFailed,
    StageRecord,
    StageResult,
)
from manyhands.protocol.roles import Decision, Notes, Plan, Reflection
from manyhands.protocol.runs import RunSummary, TaskRow
from manyhands.protocol.screens import Screen, Screenshot

PICTURE_WIDTH = 360
JPEG_QUALITY = 70
_DAMAGED_PNG = (OSError, ValueError, SyntaxError, EOFError, struct.error, zlib.error, Image.DecompressionBombError)
"""Errors of the decoder for bytes that are not a picture."""
_log = logging.getLogger(__name__)


@dataclass
class Step:
    """Hold what the page shows of one step."""

    number: int
    screenshot: Screenshot | None = None
    screen: Screen | None = None
    plan: Plan | None = None
    decision: Decision | None = None
    atoms: list[Atom] = field(default_factory=list)
    problem: str | None = None
    reflection: Reflection | None = None
    notes: Notes | None = None
    results: list[StageResult] = field(default_factory=list)
    failures: list[StageFailed] = field(default_factory=list)
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
    """Hold what the page shows of one episode."""

    started: EpisodeStarted
    ended: EpisodeEnded | None
    steps: list[Step]
    damaged: int


def write_report(folder: Path, summary: RunSummary) -> Path:
    """Write ``report.html`` into the run folder and return its path. Raises BadInput for no run folder."""
    run = RunFolder(folder)
    stories = [story for scan in run.journals.values() if (story := tell(scan.records, len(scan.damage))) is not None]
    ids = {step.screenshot.content_id for story in stories for step in story.steps if step.screenshot}
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("manyhands.evaluation"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    page = environment.get_template("report.html.jinja").render(
        summary=summary,
        stories=stories,
        never_began=never_began(summary, run, stories),
        pictures=_pictures(run, sorted(ids)),
    )
    path = folder / "report.html"
    private.write_text(path, page)
    return path


def never_began(summary: RunSummary, run: RunFolder, stories: Sequence[EpisodeStory]) -> list[tuple[TaskRow, str]]:
    """Return the tasks that have no journal, each with its goal, in the order in which they were asked for."""
    goals = {task["id"]: task.get("goal", "") for task in run.asked.get("tasks") or ()}
    shown = Counter(story.started.task.id for story in stories if not story.started.serial)
    found = []
    for row in summary.by_task:
        if row.attempts:
            continue
        if shown[row.id]:
            shown[row.id] -= 1
        else:
            found.append((row, goals.get(row.id, "")))
    return found


def tell(records: Sequence[Record], damaged: int) -> EpisodeStory | None:
    """Return the steps of one journal in order; None if it does not even hold the start."""
    started = next((record for record in records if isinstance(record, EpisodeStarted)), None)
    if started is None:
        return None
    ended = next((record for record in records if isinstance(record, EpisodeEnded)), None)
    steps: dict[int, Step] = {}
    for record in records:
        number = getattr(record, "step", None)
        if number is not None:
            _add(steps.setdefault(number, Step(number)), record)
    return EpisodeStory(started, ended, [steps[number] for number in sorted(steps)], damaged)


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
        case StageResult():
            step.results.append(record)
        case StageFailed():
            step.failures.append(record)


def describe(decision: Decision) -> str:
    """Return an action in one line for people."""
    action = decision.action
    if action is None:
        return "no action"
    if isinstance(action, RunShortcut):
        return f"{action.shortcut} {', '.join(f'{name}={value}' for name, value in action.arguments.items())}"
    points = " to ".join(map(str, points_of(action)))
    words: list[str] = [action.name, points] if points else [action.name]
    for parameter in parameters(type(action)):
        value = getattr(action, parameter.field)
        match parameter.mark:
            case Text(label=label):
                words.append(value if label else f"“{value}”")
            case Seconds(units=units):
                words.append(f"for {value / units:g} s" if points else f"{value / units:g} s")
            case Number():
                words.append(str(value))
            case Axis() | Flag():
                pass
            case _:
                assert_never(parameter.mark)
    return " ".join(words)


def _mark(atom: Atom) -> dict[str, int] | None:
    points = points_of(atom)
    return {"x1": points[0][0], "y1": points[0][1], "x2": points[-1][0], "y2": points[-1][1]} if points else None


def _pictures(run: RunFolder, ids: Sequence[str]) -> Mapping[str, str]:
    """Return small JPEGs as base64 by content id, without screens that were not written or are damaged."""
    pictures = {}
    for content_id in ids:
        png = run.screen_png(content_id)
        if png is None:
            continue
        try:
            jpeg = _small_jpeg(png)
        except _DAMAGED_PNG as error:
            _log.warning("the report of %s lacks screen %s, its PNG is damaged: %s", run.path, content_id, error)
            continue
        pictures[content_id] = base64.b64encode(jpeg).decode()
    return pictures


def _small_jpeg(png: bytes) -> bytes:
    with Image.open(io.BytesIO(png)) as picture:
        small = picture.convert("RGB")
    small.thumbnail((PICTURE_WIDTH, PICTURE_WIDTH * 4))
    buffer = io.BytesIO()
    small.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()
