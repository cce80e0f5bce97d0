"""Phones that are cut off by themselves."""

from __future__ import annotations

import asyncio

import pytest

from manyhands.simulator.fleet import VirtualFleet
from manyhands.simulator.fleet.cut import Cut, cut_once
from tests.simulator.plain_device import PlainDevice


@pytest.mark.parametrize(("text", "cut"), [("6", Cut(6, 10)), ("0.5@3", Cut(0.5, 3)), ("6@0", Cut(6, 0))])
def test_a_cut_is_read(text: str, cut: Cut) -> None:
    assert Cut.parse(text) == cut


@pytest.mark.parametrize("text", ["", "0", "-1", "6@", "@3", "6 s", "1e3", "6@1.5"])
def test_what_is_no_cut_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="SECONDS@INPUTS"):
        Cut.parse(text)


async def test_a_phone_is_cut_off_after_so_many_inputs_and_listens_again() -> None:
    async with asyncio.timeout(20), VirtualFleet(2, PlainDevice) as fleet:
        phone, other = fleet.endpoints
        lines = [await asyncio.open_connection(endpoint.host, endpoint.port) for endpoint in (phone, other)]
        cutting = asyncio.create_task(cut_once(phone, Cut(0.01, inputs=2)))
        phone.phone.ledger.append(None, "input tap 1 1")
        await asyncio.sleep(0)
        assert not cutting.done()
        phone.phone.ledger.append(None, "input tap 2 2")
        assert await lines[0][0].read() == b""  # hung up
        await cutting
        _, writer = await asyncio.open_connection(phone.host, phone.port)
        writer.close()
        assert not lines[1][0].at_eof()
        assert len(phone.phone.ledger.lines) == 2
        for _, line in lines:
            line.close()
