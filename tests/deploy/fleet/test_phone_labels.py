"""Labels are read when something needs them, side by side, and again when a phone comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from manyhands.deploy.fleet.phones.phone_labels import (
    AGAIN_S,
    ANSWER_S,
    LOOK_S,
    PhoneLabels,
    SelectorMismatch,
    read_labels,
)
from manyhands.protocol.errors import ActorLost, PhoneLost
from manyhands.protocol.phones import PhoneInfo
from manyhands.protocol.runs.control import Add, AttachPhone, RecordLabels, read_control, tell
from manyhands.protocol.runs.control_state import control_state
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.tasks.task import TaskSpec
from tests.virtual_clock import VirtualClock, run_virtual

PIXEL = {"model": "Pixel 8", "app:Maps": "11.2"}
FOR_PIXELS = TaskSpec(id="t", goal="g", phones="model=pixel 8")


class Shelf:
    """Implements ``PhoneDirectory``: each phone takes a second to tell its labels, or for ever if it is silent."""

    def __init__(self, count: int) -> None:
        self.labels_of: dict[str, Mapping[str, str]] = {f"p{number}": PIXEL for number in range(count)}
        self.away: set[str] = set()
        self.silent: set[str] = set()
        self.is_lost = False
        self.asked: list[str] = []

    async def phones(self) -> Sequence[PhoneInfo]:
        if self.is_lost:
            raise ActorLost("its node is gone")
        return [
            PhoneInfo(serial=serial, state="offline" if serial in self.away else "device", model="Listed")
            for serial in self.labels_of
        ]

    async def connect(self, serial: str) -> None: ...

    async def size(self, serial: str) -> Size:
        raise PhoneLost("not asked")

    async def labels(self, serial: str) -> Mapping[str, str]:
        self.asked.append(serial)
        await asyncio.sleep(1e9 if serial in self.silent else 1)
        if serial in self.away:
            raise PhoneLost(f"{serial} is offline")
        return self.labels_of[serial]

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        raise PhoneLost("not asked")


def known(folder: Path) -> dict[str, Mapping[str, str]]:
    """Return what the run in this folder was told of its phones."""
    return control_state(read_control(folder)).read_labels


def played(scene: Coroutine[Any, Any, None]) -> None:
    run_virtual(scene)


def labels_of(shelf: Shelf, folder: Path) -> PhoneLabels:
    return PhoneLabels(shelf, tuple(shelf.labels_of), folder, VirtualClock())


def test_a_hundred_phones_are_read_side_by_side_and_silent_ones_do_not_hold_them_up() -> None:
    async def scene() -> None:
        shelf = Shelf(100)
        shelf.silent, shelf.away = {"p7"}, {"p8"}
        began = VirtualClock().now()
        found = await read_labels(shelf, shelf.labels_of)
        assert VirtualClock().now() - began == pytest.approx(ANSWER_S)
        assert found == dict.fromkeys(shelf.labels_of.keys() - {"p7", "p8"}, PIXEL)

    played(scene())


def test_a_run_without_selectors_reads_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        shelf = Shelf(3)
        labels = labels_of(shelf, tmp_path)
        tasks = [TaskSpec(id="t", goal="g")]
        await labels.check(tasks)
        await labels.prepare(tasks, is_open_ended=False)
        async with labels.followed():
            await asyncio.sleep(3600)
        assert shelf.asked == []
        assert read_control(tmp_path) == ()

    played(scene())


def test_a_matrix_has_the_values_of_the_runs_phones(tmp_path: Path) -> None:
    async def scene() -> None:
        shelf = Shelf(3)
        shelf.labels_of["p2"] = {"model": "Pixel 7"}
        labels = labels_of(shelf, tmp_path)
        expanded = await labels.expand([TaskSpec(id="t", goal="g", matrix="model")])
        assert [task.matrix_value for task in expanded] == sorted({PIXEL["model"], "Pixel 7"})
        with pytest.raises(SelectorMismatch, match="no phone has this label"):  # so that no run is begun
            await labels.expand([TaskSpec(id="t", goal="g", matrix="colour")])

    played(scene())


def test_a_run_with_a_selector_reads_each_phone_once_and_refuses_what_fits_none(tmp_path: Path) -> None:
    async def scene() -> None:
        shelf = Shelf(3)
        shelf.labels_of["p2"] = {"model": "Pixel 7"}
        labels = labels_of(shelf, tmp_path)
        await labels.check([FOR_PIXELS])
        await labels.check([TaskSpec(id="u", goal="g", phones="serial=p1")])
        with pytest.raises(
            SelectorMismatch, match=r"task u: phones 'model=Pixel 6'.*model is Pixel 8 on 2 phones, Pix"
        ):
            await labels.check([FOR_PIXELS, TaskSpec(id="u", goal="g", phones="model=Pixel 6")])
        await labels.prepare([FOR_PIXELS], is_open_ended=False)
        assert sorted(shelf.asked) == ["p0", "p1", "p2"]
        assert known(tmp_path) == {"p0": PIXEL, "p1": PIXEL, "p2": {"model": "Pixel 7"}}
        assert len(read_control(tmp_path)) == 1

    played(scene())


@pytest.mark.parametrize("trouble", ["silent", "away", "lost"])
def test_a_phone_that_does_not_tell_its_labels_may_still_fit(
    tmp_path: Path, trouble: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        shelf = Shelf(2)
        shelf.labels_of["p0"] = {"model": "Pixel 7"}
        shelf.is_lost = trouble == "lost"
        shelf.silent, shelf.away = {"p1"} if trouble == "silent" else set(), {"p1"} if trouble == "away" else set()
        labels = labels_of(shelf, tmp_path)
        await labels.check([FOR_PIXELS])
        await labels.prepare([FOR_PIXELS], is_open_ended=False)
        assert "fits no phone of this run" in caplog.text
        assert known(tmp_path).get("p1") == ({"model": "Listed"} if trouble == "silent" else None)
        shelf.silent, shelf.away, shelf.is_lost = set(), set(), False
        async with labels.followed():
            await asyncio.sleep(2 * LOOK_S)
        assert known(tmp_path)["p1"] == PIXEL

    played(scene())


def test_a_service_waits_for_no_label_and_reads_phones_that_come_back(tmp_path: Path) -> None:
    async def scene() -> None:
        shelf = Shelf(2)
        shelf.away = {"p1"}
        labels = labels_of(shelf, tmp_path)
        began = VirtualClock().now()
        await labels.prepare((), is_open_ended=True)
        assert VirtualClock().now() == began
        async with labels.followed():
            await asyncio.sleep(LOOK_S / 2)
            assert known(tmp_path) == {"p0": PIXEL}
            shelf.away = set()
            await asyncio.sleep(2 * LOOK_S)
            assert known(tmp_path) == {"p0": PIXEL, "p1": PIXEL}
            shelf.away = {"p0"}
            await asyncio.sleep(2 * LOOK_S)
            shelf.away, shelf.labels_of["p0"] = set(), {"model": "Pixel 8", "app:Maps": "11.3"}
            await asyncio.sleep(2 * LOOK_S)
            assert known(tmp_path)["p0"]["app:Maps"] == "11.3"
            tell(tmp_path, AttachPhone(at=0, phone="p2"))
            shelf.labels_of["p2"] = {"model": "Pixel 9"}
            await asyncio.sleep(2 * LOOK_S)
            assert known(tmp_path)["p2"] == {"model": "Pixel 9"}
        told = [control for control in read_control(tmp_path) if isinstance(control, RecordLabels)]
        assert len(told) == 4, "only what changed is told"

    played(scene())


def test_a_silent_phone_is_asked_less_and_less_and_all_are_read_again_after_an_hour(tmp_path: Path) -> None:
    async def scene() -> None:
        shelf = Shelf(2)
        shelf.silent = {"p1"}
        labels = labels_of(shelf, tmp_path)
        await labels.prepare((), is_open_ended=True)
        async with labels.followed():
            await asyncio.sleep(AGAIN_S - 60)
            assert shelf.asked.count("p0") == 1
            assert shelf.asked.count("p1") < 10
            shelf.labels_of["p0"] = {"model": "Pixel 8", "app:Maps": "11.4"}
            await asyncio.sleep(120)
            assert known(tmp_path)["p0"]["app:Maps"] == "11.4"

    played(scene())


def test_a_task_that_is_added_later_and_has_a_selector_makes_the_run_read(tmp_path: Path) -> None:
    async def scene() -> None:
        shelf = Shelf(1)
        labels = labels_of(shelf, tmp_path)
        async with labels.followed(), labels.followed():
            await asyncio.sleep(3 * LOOK_S)
            tell(tmp_path, Add(at=0, tasks=(FOR_PIXELS,)))
            await asyncio.sleep(2 * LOOK_S)
            assert known(tmp_path) == {"p0": PIXEL}
            assert shelf.asked == ["p0"], "of two batches, one reads for both"

    played(scene())
