"""A run folder of three episodes that decided their tasks, small enough to score by hand; a fourth lost its phone.

A step lasts ten seconds: the planner works in the first three, the operator in the next two, perception in the sixth,
reflector and notetaker in the last two.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from manyhands.evaluation.judgements.judgements import FOLDER
from manyhands.protocol.base import Ending, Outcome
from manyhands.protocol.journals.records import Record
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import Action, Back, RunShortcut, Stop, Tap, Wait
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import (
    acted,
    call,
    decided,
    ended,
    noted,
    perceived,
    planned,
    received,
    reflected,
    rubrics_checked,
    sent,
    span,
    started,
    write_run,
)

TAP = Tap(x=1, y=2)
STATE = "content://manyhands.simulator/state"
REQUEST = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "manyhands:0"}}]}]}


def task(name: str, operations: Sequence[str], rubrics: Sequence[tuple[str, int | None]], *tags: str) -> TaskSpec:
    holds = {"path": "x", "exists": True}
    return TaskSpec.model_validate(
        {
            "id": name,
            "goal": f"do {name}",
            "tags": tags,
            "check": {"source": STATE, "holds": holds},
            "rubrics": [{"name": rubric, "holds": holds, "by": by} for rubric, by in rubrics],
            "human_operations": operations,
        }
    )


def step(
    number: int, action: Action | None, outcome: Outcome | None, atoms: int = 1, status: str = "done"
) -> Iterator[Record]:
    """Yield a step's records; without an outcome the episode ends with its action, which nobody judges."""
    at = 10.0 * number
    yield planned(number, span(at, at + 3), call(Role.PLAN, 100, request=REQUEST))
    yield decided(number, span(at + 3, at + 5), call(Role.DECIDE, 100, request=REQUEST), action=action)
    yield perceived(number, span(at + 5, at + 6), read=1)
    for atom in range(atoms):
        yield sent(number, f"{number}:{atom}", at + 7, TAP)
        yield received(number, f"{number}:{atom}", status)
    yield acted(number, span(at + 7, at + 8))
    if outcome is not None:
        yield reflected(number, span(at + 8, at + 10), outcome, call(Role.REFLECT, 100, request=REQUEST))
        yield noted(number, span(at + 8, at + 9), call(Role.NOTE, 100, request=REQUEST))


TASKS = (
    task("a", ("open", "tap", "type", "save"), (("r1", 1), ("r2", 3), ("left", None), ("r4", 4)), "basic"),
    task("b", ("open", "tap", "save"), (("r1", 1), ("r2", 3)), "basic"),
    task("c", ("open", "save"), (("r1", 1), ("r2", 2)), "advanced"),
    task("lost", ("open",), (("r1", 1),)),
)


def journals() -> dict[str, list[Record]]:
    """Return four episodes: one done, two failed, one on a phone that was lost."""
    a, b, c, lost = TASKS
    rubrics = {rubric.name: True for rubric in a.rubrics}
    return {
        "e-a": [
            started("e-a", a),
            *step(0, TAP, Outcome.A),
            rubrics_checked(0, "r1", "left"),
            *step(1, TAP, Outcome.C),
            *step(2, TAP, Outcome.A),
            rubrics_checked(2, "left", "r2"),
            *step(3, TAP, Outcome.A),
            *step(4, TAP, Outcome.A),
            rubrics_checked(4, "left", "r2", "r4"),
            *step(5, Stop(), None, atoms=0),
            ended(60, Ending.FINISHED, 6, verified=True, rubrics=rubrics),
        ],
        "e-b": [
            started("e-b", b),
            *step(0, RunShortcut(shortcut="s"), Outcome.A, atoms=3),
            *step(1, TAP, Outcome.B),
            sent(1, "1:1", 19, Back()),  # restores the page
            received(1, "1:1"),
            rubrics_checked(1, "r1"),
            *step(2, None, Outcome.C, atoms=0),
            *step(3, TAP, Outcome.C, status="refused"),
            ended(40, Ending.STEP_LIMIT, 4, verified=False, rubrics={"r1": True, "r2": False}),
        ],
        "e-c": [
            started("e-c", c),
            *step(0, Wait(seconds=1), Outcome.B, atoms=0),
            rubrics_checked(0, "r1"),
            *step(1, TAP, Outcome.C),
            ended(20, Ending.IMPOSSIBLE, 2, verified=False, rubrics={"r1": True, "r2": False}),
        ],
        "e-lost": [started("e-lost", lost), *step(0, TAP, Outcome.A), ended(10, Ending.PHONE_LOST, 1)],
    }


ANNA: dict[str, Any] = {
    "e-a": {
        "success": True,
        "rubrics": {"r1": 0, "left": 5, "r2": 2, "r4": 4},
        "actions": {"0": True, "1": False, "2": True, "3": True, "4": True, "5": True},
        "reflections": {"0": True, "1": True, "2": True, "3": True, "4": True},
    },
    "e-b": {
        "success": False,
        "rubrics": {"r1": 1, "r2": None},
        "actions": {"0": True, "1": False, "3": False},
        "reflections": {"0": True, "1": True, "2": True, "3": False},
        "operations": {"0": True, "1": True, "2": False},
    },
}
"""What a person said of two of the three."""


def write_three(folder: Path, judged: bool = True, **asked: Any) -> Path:
    """Write the run folder and return it."""
    folder.mkdir(parents=True)
    known = {
        "run_id": folder.name,
        "profile": "e",
        "model_source": "a stand-in for a model",
        "phones_source": "stand-ins for phones",
        "tasks": [one.model_dump(mode="json") for one in TASKS],
    }
    write_run(folder, {**known, **asked}, journals())
    if judged:
        write_judge(folder, "anna", "person", ANNA)
    return folder


def write_judge(folder: Path, judge: str, source: str, episodes: dict[str, Any]) -> None:
    path = folder / FOLDER / f"{judge}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"judge": judge, "source": source, "episodes": episodes}), encoding="utf-8")
