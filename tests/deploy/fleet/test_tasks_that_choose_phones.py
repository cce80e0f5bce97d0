"""Tasks choose phones by the labels that the fleet reads off them."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.deploy.fleet.fleet import Fleet
from manyhands.deploy.fleet.phones.phone_labels import SelectorMismatch
from manyhands.protocol.base import Ending
from manyhands.protocol.runs.control import RecordLabels, read_control
from manyhands.protocol.tasks.task import TaskSpec

GOAL = "Turn on dark mode."


@pytest.mark.slow
async def test_a_selector_is_checked_before_anything_starts_and_kept(
    tmp_path: Path, adb_server: tuple[str, int]
) -> None:
    folder = tmp_path / "run"
    phones, model = ["virtual:2"], ["rehearsed"]
    async with Fleet(phones=phones, mllm_url=model, out=folder, adb_port=adb_server[1]) as fleet:
        first, second = fleet.serials
        with pytest.raises(
            SelectorMismatch, match=r"task a: phones 'app:Maps>=11' fits no phone .*app:Maps is 1.0 on 2"
        ):
            await fleet.run_batch([TaskSpec(id="a", goal=GOAL, phones="app:Maps>=11")])
        assert not (folder / "run.yaml").exists(), "the refused batch is no part of the run"
        chosen = [
            TaskSpec(id="b", goal=GOAL, phones="app:com.manyhands.maps>=1, android>=13, maker=manyhands"),
            *(TaskSpec(id=f"c{number}", goal=GOAL, phones=f"serial={second}") for number in range(2)),
        ]
        results = await fleet.run_batch(chosen)
        assert {result.ending for result in results} == {Ending.FINISHED}
        assert {result.serial for result in results[1:]} == {second}
        (told,) = [control for control in read_control(folder) if isinstance(control, RecordLabels)]
        assert told.labels.keys() == {first, second}
