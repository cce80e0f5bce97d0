"""The tables that ``manyhands status`` prints."""

from __future__ import annotations

import pytest
from rich.console import Console

from manyhands.protocol.service.batches import TaskPhase, TaskStatus
from manyhands.service.commands.tables import task_table


@pytest.mark.parametrize(
    ("task", "shown"),
    [
        ({"phase": TaskPhase.RUNNING, "step": 0}, "step 0"),
        ({"phase": TaskPhase.ENDED, "steps": 1}, "1 step "),
        ({"phase": TaskPhase.ENDED, "steps": 8}, "8 steps"),
        ({"phase": TaskPhase.WAITING}, " - "),
    ],
)
def test_the_number_of_a_step_is_told_from_a_count(task: dict[str, object], shown: str) -> None:
    status = TaskStatus.model_validate(
        {"id": "b1.t1", "batch": "b1", "owner": "ben", "goal": "Greet Ben.", "priority": 0, **task}
    )
    console = Console(width=120)
    with console.capture() as captured:
        console.print(task_table([status]))
    assert shown in captured.get()
