"""The everyday tasks with checks that any phone answers: over a real adb server, without the simulator's provider."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from manyhands.protocol.screens.actions import LINK, OpenApp, OpenLink
from manyhands.protocol.tasks.predicates import Evidence, evaluate, sources
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.protocol.tasks.unmet_tests import unmet_tests
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from manyhands.simulator.suites import EVERYDAY, with_phone_checks
from manyhands.simulator.suites.play import play
from tests.actors.phones.world import World, within, world
from tests.permitted import permitted
from tests.simulator.suites.tasks import SUITES
from tests.simulator.suites.test_suites import WRONG

TASKS = with_phone_checks(SUITES[EVERYDAY])
UNSEEN = {"headphone_reviews": "no phone tells which reviews were read"}
"""Wrong endings that only the simulator's own state tells."""


class Clock:
    """The real time, and what ``wait`` lets pass at once."""

    def __init__(self) -> None:
        self._passed = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self._passed

    def wait(self, seconds: float) -> None:
        self._passed += seconds


async def told(place: World, task: TaskSpec) -> Evidence:
    """What the phone tells of a task's check, after what the check opens is open."""
    check = task.check
    assert check is not None
    if check.open is not None:
        opens = OpenLink(link=check.open) if re.fullmatch(LINK, check.open) else OpenApp(app=check.open)
        perform = permitted(key=f"{task.id}/{time.monotonic_ns()}", action=opens)
        receipt = await place.gateway.perform(place.lease, perform, within())
        assert receipt.status == "done", receipt.detail
    answers = {source: await place.gateway.state(place.lease, source, within()) for source in sources(check.holds)}
    return Evidence(answers=answers)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
async def test_any_phone_tells_a_right_ending_from_a_wrong_one(
    adb_server: tuple[str, int], tmp_path: Path, task: TaskSpec
) -> None:
    clock = Clock()
    check = task.check
    assert check is not None
    assert check.source is None

    def make(seed: int) -> VirtualPhone:
        return VirtualPhone(task.reset_seed or 0, width=540, height=1200, density=200, clock=clock)

    async with world(adb_server, tmp_path, make) as place:
        assert isinstance(place.device, VirtualPhone)
        if task.id not in UNSEEN:
            play(place.device, WRONG[task.id], clock.wait)
            evidence = await told(place, task)
            assert evaluate(check.holds, evidence) is False, evidence
        place.device.reset(task.reset_seed or 0)
        play(place.device, task.human_operations, clock.wait)
        assert [str(test) for test in unmet_tests(check.holds, await told(place, task))] == []
