"""What a place that fails, or says what is no ledger, costs a run whose virtual phones it has: nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from manyhands.deploy.fleet.phones.virtual import VirtualPhones
from manyhands.protocol.errors import ActorLost, ManyhandsError, PhoneLost
from manyhands.protocol.phones import PhoneInfo
from manyhands.protocol.screens.geometry import Size


class Place:
    """Has two virtual phones, of which one has no ledger; it can be lost."""

    def __init__(self) -> None:
        self.lost: ManyhandsError | None = None

    async def phones(self) -> Sequence[PhoneInfo]:
        if self.lost is not None:
            raise self.lost
        return [PhoneInfo(serial=f"lab/{name}", state="device", product="manyhands_1") for name in ("one", "two")]

    async def connect(self, serial: str) -> None: ...

    async def size(self, serial: str) -> Size:
        return Size(width=540, height=1200)

    async def labels(self, serial: str) -> Mapping[str, str]:
        return {}

    async def look(self, serial: str, source: str) -> Mapping[str, Any]:
        return {"rows": []} if serial == "lab/one" else {"else": 1}


@pytest.mark.parametrize("error", [ActorLost("its node is gone"), PhoneLost("no adb server")])
async def test_a_place_that_is_lost_at_the_end_of_a_batch_costs_no_results(error: ManyhandsError) -> None:
    place = Place()
    among = VirtualPhones(place)
    assert await among.find_later(["lab/one"])
    place.lost = error
    assert not await among.find_later(["lab/two"])
    place.lost = None
    assert await among.find_later(["lab/two"])


async def test_a_phone_that_answers_with_no_ledger_leaves_none(tmp_path: Path) -> None:
    among = VirtualPhones(Place())
    await among.find(["lab/one", "lab/two"])
    await among.save_ledgers(tmp_path)
    (saved,) = (tmp_path / "ledgers").iterdir()
    assert (saved.name, json.loads(saved.read_text())) == ("lab_one.json", {"serial": "lab/one", "rows": []})
