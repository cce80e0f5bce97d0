"""A run folder of a scenario of three tasks that teach each other, small enough to count by hand.

The first knows what is initial, and teaches a tip and a shortcut. The second uses both kinds of shortcuts, one of them
twice, and words its tip anew. The third is refused its shortcut, which was put aside, and teaches nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manyhands.protocol.base import Outcome
from manyhands.protocol.journals.records import EpisodeEnded, Learned, Recalled, Record, RubricsChecked, StageResult
from manyhands.protocol.roles.lessons import (
    Change,
    LessonTaken,
    Permission,
    PermittedBy,
    Refusal,
    ShortcutUse,
    ShortcutUseReport,
    UseOutcome,
)
from manyhands.protocol.roles.memory import LongTermMemory, Shortcut, ShortcutStep
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.actions import RunShortcut, Tap
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import (
    acted,
    call,
    decided,
    ended,
    received,
    reflected,
    rubrics_checked,
    sent,
    span,
    started,
    write_run,
)

HOLDS = {"path": "x", "exists": True}
START = Shortcut(name="Tap_Type_and_Enter", steps=(ShortcutStep(name="Enter"),))
SEARCH = Shortcut(
    name="Search",
    arguments=("words",),
    description="Search the <shop>.",
    precondition="Its start page is shown.",
    steps=(ShortcutStep(name="Click_Text", arguments_map={"text": "Search"}), ShortcutStep(name="Enter")),
)
OLD, NEW = "Close the sale first.", "Close the <b>summer</b> sale first."
TIP_ID, SEARCH_ID = "tip-00000001-000-aaaa", "Search-bbbbbbbb"


def task(name: str, scenario: str | None = "shop") -> TaskSpec:
    rubrics = [{"name": "half", "holds": HOLDS}, {"name": "whole", "holds": HOLDS}]
    check = {"source": "content://manyhands.simulator/state", "holds": HOLDS}
    return TaskSpec.model_validate(
        {"id": name, "goal": f"do {name}", "check": check, "rubrics": rubrics, "memory_scope": scenario}
    )


ONE, TWO, THREE, ALONE = task("one"), task("two"), task("three"), task("alone", None)


def knowing(*tips: str, searches: bool) -> LongTermMemory:
    """What an episode knows: a tip that is initial, and what it was taught."""
    shortcuts, ids = (START, SEARCH), ("initial-Tap_Type_and_Enter@1", f"{SEARCH_ID}@1")
    return LongTermMemory(
        tips=("Be careful.", *tips),
        tip_ids=("initial-0", TIP_ID)[: 1 + len(tips)],
        shortcuts=shortcuts if searches else shortcuts[:1],
        shortcut_ids=ids if searches else ids[:1],
        version=1,
    )


def began(episode: str, of: TaskSpec, at: float, memory: LongTermMemory) -> Record:
    return started(episode, of, at=at).model_copy(update={"memory": memory, "profile": "e+evo"})


def tap(step: int, at: float) -> Sequence[Record]:
    key = f"k{at}"
    return (
        decided(step, span(at, at + 1), call(Role.DECIDE, 100), action=Tap(x=1, y=2)),
        sent(step, key, at=at + 1),
        received(step, key),
        acted(step, span(at + 1, at + 2)),
        reflected(step, span(at + 2, at + 3), Outcome.A, call(Role.REFLECT, 50)),
    )


def use(step: int, at: float, id: str, outcome: UseOutcome, aside: str = "") -> Sequence[Record]:
    """A step that uses a shortcut, which was permitted, and its report."""
    name = id.partition("-")[2].partition("@")[0] if id.startswith("initial-") else id.partition("-")[0]
    said = ShortcutUse(shortcut=id, episode="e", step=step, outcome=outcome, reason=f"it {outcome}")
    reported = ShortcutUseReport(use=said, taken_in=True, put_aside=aside).model_dump(mode="json")
    return (
        decided(step, span(at, at + 1), call(Role.DECIDE, 100), action=RunShortcut(shortcut=name, arguments={})),
        permitted(step, at, id, True, "model"),
        acted(step, span(at + 1, at + 2)),
        StageResult(step=step, span=span(at + 3, at + 3), stage="watch", data=reported),
    )


def permitted(step: int, at: float, id: str, yes: bool, by: PermittedBy, reason: str = "") -> Record:
    data = Permission(shortcut=id, permitted=yes, by=by, reason=reason).model_dump(mode="json")
    calls = (call(Role.PERMIT, 30),) if by == "model" else ()
    return StageResult(step=step, span=span(at, at), stage="permit", data=data, calls=calls)


def learned(at: float, taken: LessonTaken | None, problem: str = "") -> Record:
    calls = (call(Role.LEARN_TIPS, 20), call(Role.LEARN_SHORTCUTS, 10))
    return Learned(at=at, span=span(at - 2, at), scope="task:shop", taken=taken, calls=calls, problem=problem)


def finish(at: float, steps: int, *held: str) -> Sequence[Record]:
    rubrics = {name: name in held for name in ("half", "whole")}
    return (rubrics_checked(steps - 1, *held), ended(at, steps=steps, verified="whole" in held, rubrics=rubrics))


FIRST: Sequence[Record] = (
    began("e-one", ONE, 0, knowing(searches=False)),
    Recalled(at=0, calls=()),
    *tap(0, 1),
    *tap(1, 5),
    *tap(2, 9),
    *finish(20, 3, "half"),
    learned(
        23,
        LessonTaken(
            version=1,
            added=(TIP_ID, SEARCH_ID),
            refused=(Refusal(what="Search_All", reason="step 2 <was> not", kind="shortcut"),),
            changes=(Change(id=TIP_ID, after=OLD), Change(id=SEARCH_ID, after=SEARCH)),
        ),
        problem="step 2 <was> not",
    ),
)
SECOND: Sequence[Record] = (
    began("e-two", TWO, 100, knowing(OLD, searches=True)),
    Recalled(at=100, calls=(call(Role.RECALL, 7),), left_out=5),
    *use(0, 101, f"{SEARCH_ID}@1", "worked"),
    *use(1, 105, f"{SEARCH_ID}@1", "surprised", aside="its last uses failed"),
    *use(2, 109, "initial-Tap_Type_and_Enter@1", "worked"),
    *finish(120, 3, "half", "whole"),
    learned(123, LessonTaken(version=2, changed=(TIP_ID,), changes=(Change(id=TIP_ID, before=OLD, after=NEW),))),
)
THIRD: Sequence[Record] = (
    began("e-three", THREE, 200, knowing(NEW, searches=True)),
    Recalled(at=200, calls=()),
    decided(0, span(201, 202), call(Role.DECIDE, 100), action=RunShortcut(shortcut="Search", arguments={})),
    permitted(0, 202, f"{SEARCH_ID}@1", False, "put_aside", "its last uses failed"),
    acted(0, span(202, 203)).model_copy(update={"problem": "It was put aside.", "fault": "precondition"}),
    *tap(1, 205),
    *finish(220, 2, "half", "whole"),
    learned(223, None, "tips learner: no answer"),
)
LAST: Sequence[Record] = (
    began("e-alone", ALONE, 300, knowing(searches=False)),
    *tap(0, 301),
    *finish(310, 1, "half"),
)
TASKS = [one.model_dump(mode="json", exclude_defaults=True) for one in (ONE, TWO, THREE, ALONE)]


def write_taught(folder: Path, is_state_hidden: bool = False, **asked: Any) -> Path:
    """Write the run and return its folder. With ``is_state_hidden`` no phone told of checks and rubrics."""
    folder.mkdir(exist_ok=True)
    journals = {"e-one": FIRST, "e-two": SECOND, "e-three": THIRD, "e-alone": LAST}
    if is_state_hidden:
        journals = {name: [_hide_state(one) for one in records] for name, records in journals.items()}
    write_run(folder, {"run_id": "r", "profile": "e+evo", "tasks": TASKS, **asked}, journals)
    return folder


def _hide_state(record: Record) -> Record:
    match record:
        case EpisodeEnded():
            return record.model_copy(update={"verified": None, "rubrics": {}})
        case RubricsChecked():
            return record.model_copy(update={"held": ()})
        case _:
            return record
