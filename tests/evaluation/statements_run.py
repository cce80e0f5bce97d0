"""A run whose checks are statements: some decided by the phone, some by a judge, one by nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manyhands.protocol.journals.records import Record, StatementJudged
from manyhands.protocol.roles.role import Role
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.tasks.unmet_tests import UnmetTest
from tests.evaluation.run_records import call, captured, decided, ended, span, started, write_run

STATEMENT = "The cart shows two cables."
UNMET = UnmetTest(expected="that a judge says yes", found="that the judge says no: it shows one")
BY_JUDGE: dict[str, Any] = {"verified_by": "judge", "steps": 1}
ENDS: dict[str, dict[str, Any]] = {
    "phone_yes": {"verified": True, "verified_by": "phone", "steps": 1},
    "phone_no": {"verified": False, "verified_by": "phone", "steps": 1},
    "judge_yes": {"verified": True, **BY_JUDGE},
    "judge_yes_too": {"verified": True, **BY_JUDGE},
    "judge_no": {"verified": False, "unmet": (UNMET,), **BY_JUDGE},
    "open": {"verified": None, "steps": 1},
}
SAID = {"judge_yes": "yes", "judge_yes_too": "yes", "judge_no": "no", "open": "cannot tell"}


def task(name: str) -> TaskSpec:
    return TaskSpec.model_validate({"id": name, "goal": f"Do {name}.", "check": {"holds": {"judge": STATEMENT}}})


def episode(name: str, number: int) -> list[Record]:
    shot = captured(0, span(number, number))
    said = StatementJudged.model_validate(
        {
            "at": number,
            "span": span(number, number),
            "statement": STATEMENT,
            "verdict": SAID.get(name),
            "reason": f"<b>seen</b> in {name}",
            "screens": (shot.screenshot,),
            "calls": (call(Role.JUDGE, 100, request={"messages": []}),),
        }
    )
    return [
        started(name, task(name), at=number),
        shot,
        decided(0, span(number, number), call(Role.DECIDE, 50)),
        *([said] if name in SAID else []),
        ended(number + 1, **ENDS[name]),
    ]


def write_statements_run(folder: Path) -> Path:
    """Write the run folder, without pictures, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = {"run_id": "night", "tasks": [task(name).model_dump(mode="json", by_alias=True) for name in ENDS]}
    write_run(folder, asked, {name: episode(name, 10 * number) for number, name in enumerate(ENDS)})
    return folder
