"""Journals written by hand, with round times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from manyhands.evaluation.summary import summary_of
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.records import (
    Acted,
    ActionDecided,
    ActionReceived,
    ActionSent,
    EpisodeEnded,
    EpisodeStarted,
    NotesTaken,
    Perceived,
    PhonePrepared,
    Planned,
    Record,
    Reflected,
    Resumed,
    RubricsChecked,
    ScreenCaptured,
    Span,
)
from manyhands.protocol.messages import ModelCall, Usage
from manyhands.protocol.phones import Receipt
from manyhands.protocol.roles.memory import LongTermMemory
from manyhands.protocol.roles.requests import Decision, Notes, Plan, Reflection, Subgoal
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.run_summary import RunSummary
from manyhands.protocol.screens.actions import Action, AtomicAction, Home
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screen, Screenshot, Settling
from manyhands.protocol.tasks.task import TaskSpec

HOME = Home()
STAGES = ("capture", "perceive", "plan", "decide", "act", "verify", "note")
SIZE = Size(width=10, height=20)
ID = "0" * 32


def span(start: float, end: float, queue_ms: float = 0) -> Span:
    return Span(start=start, end=end, queue_ms=queue_ms)


def started(
    episode: str, task: TaskSpec, at: float = 0, serial: str = "p", attempt: int = 1, **fields: Any
) -> EpisodeStarted:
    return EpisodeStarted(
        at=at,
        run="the run",
        episode=episode,
        attempt=attempt,
        task=task,
        serial=serial,
        epoch=1,
        profile="e",
        schedule="overlap",
        memory=LongTermMemory(),
        **{"stages": STAGES, **fields},
    )


def resumed(step: int, at: float, cause: str = "host lost: it died", epoch: int = 2) -> Resumed:
    return Resumed(at=at, step=step, serial="p", epoch=epoch, cause=cause)


def ended(at: float, ending: Ending = Ending.FINISHED, steps: int = 0, **fields: Any) -> EpisodeEnded:
    return EpisodeEnded(
        **{"at": at, "ending": ending, "reason": "why", "steps": steps, "verified": None, "rubrics": {}, **fields}
    )


def receipt(key: str, status: str = "done", repeated: bool = False) -> Receipt:
    return Receipt.model_validate({"key": key, "status": status, "sent_at": 1, "ms": 1, "repeated": repeated})


def prepared(*receipts: Receipt) -> PhonePrepared:
    return PhonePrepared(at=0, receipts=receipts)


def sent(step: int, key: str, at: float = 0, action: AtomicAction | None = None) -> ActionSent:
    return ActionSent(at=at, step=step, key=key, action=action or Home())


def received(step: int, key: str, status: str = "done", repeated: bool = False) -> ActionReceived:
    return ActionReceived(step=step, receipt=receipt(key, status, repeated))


def call(role: Role, tokens: int, /, **others: Any) -> ModelCall:
    usage = Usage(input_tokens=tokens, output_tokens=1, cached_tokens=tokens // 2)
    told = {"server": "s", "request": {}, "reply": "", "started_at": 0, "latency_ms": 1, **others}
    return ModelCall.model_validate({"role": role, "usage": usage, **told})


def captured(step: int, when: Span, settle_ms: float | None = None) -> ScreenCaptured:
    settling = None if settle_ms is None else Settling(ms=settle_ms, frames=2, settled=True)
    shot = Screenshot(content_id=ID, size=SIZE, serial="p", taken_at=when.end, capture_ms=1, settling=settling)
    return ScreenCaptured(step=step, span=when, screenshot=shot)


def perceived(step: int, when: Span, cached: bool = False, **timings_ms: float) -> Perceived:
    screen = Screen(content_id=ID, size=SIZE, elements=(), keyboard="hidden", cached=cached, timings_ms=timings_ms)
    return Perceived(step=step, span=when, screen=screen)


def planned(step: int, when: Span, *calls: ModelCall) -> Planned:
    plan = Plan(thought="", text="", subgoal=Subgoal(id=1, text=""), change="keep", status="continue")
    return Planned(step=step, span=when, plan=plan, calls=calls)


def decided(step: int, when: Span, *calls: ModelCall, action: Action | None = HOME) -> ActionDecided:
    """A decision; without an action it says why."""
    problem = "no action" if action is None else None
    decision = Decision(thought="", action=action, expectation="", problem=problem)
    return ActionDecided(step=step, span=when, decision=decision, calls=calls)


def acted(step: int, when: Span) -> Acted:
    return Acted(step=step, span=when)


def reflected(step: int, when: Span, outcome: Outcome = Outcome.A, *calls: ModelCall) -> Reflected:
    reflection = Reflection(outcome=outcome, error="", progress="", made_by="model")
    return Reflected(step=step, span=when, reflection=reflection, calls=calls)


def checked(step: int, at: float) -> Reflected:
    """A verdict without the model."""
    reflection = Reflection(outcome=Outcome.C, error="", progress="", made_by="check", check="unchanged")
    return Reflected(step=step, span=span(at, at), reflection=reflection)


def noted(step: int, when: Span, *calls: ModelCall) -> NotesTaken:
    return NotesTaken(step=step, span=when, notes=Notes(text=""), calls=calls)


def rubrics_checked(step: int, *held: str) -> RubricsChecked:
    return RubricsChecked(at=0, step=step, held=held)


def in_one_batch(
    asked: Mapping[str, Any], journals: Iterable[Sequence[Record]]
) -> tuple[dict[str, Any], list[Sequence[Record]]]:
    """Put the tasks of run.yaml into one batch if it names none, and each episode at the place of its task's id.

    Episodes that name a batch stay as they are.
    """
    lists = list(journals)
    ids = [task["id"] for task in asked.get("tasks", ())]
    batches = asked.get("batches", [{"name": "b1", "tasks": len(ids)}])
    begun = (record.task.id for records in lists for record in records if isinstance(record, EpisodeStarted))
    places = {id: place for place, id in enumerate(dict.fromkeys([*ids, *begun]))}

    def placed(record: Record) -> Record:
        if not isinstance(record, EpisodeStarted) or record.batch:
            return record
        return record.model_copy(update={"batch": batches[0]["name"], "place": places[record.task.id]})

    return {**asked, "batches": batches}, [[placed(record) for record in records] for records in lists]


def summed_up(asked: Mapping[str, Any], journals: Iterable[Sequence[Record]]) -> RunSummary:
    """Return the summary of a run whose tasks are one batch."""
    return summary_of(*in_one_batch(asked, journals))


def write_run(folder: Path, asked: Mapping[str, Any], journals: Mapping[str, Sequence[Record]]) -> None:
    """Write run.yaml and journals. Without batches in ``asked``, its tasks are one (``in_one_batch``)."""
    batched, placed = in_one_batch(asked, journals.values())
    (folder / "run.yaml").write_text(yaml.safe_dump(batched), encoding="utf-8")
    for episode, records in zip(journals, placed, strict=True):
        path = folder / "episodes" / episode / "journal.mh"
        path.parent.mkdir(parents=True)
        path.write_bytes(b"".join(encode(record, episode) for record in records))
