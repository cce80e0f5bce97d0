"""SMS and contacts of virtual phones, over a real adb server, without a provider of the simulator."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.phones.adb.state.records import is_same_number
from manyhands.protocol.errors import StateUnavailable
from manyhands.simulator.fleet import virtual_phones
from tests.actors.phones.adb.state.planting import holds
from tests.actors.phones.adb.state.texting import send_sms
from tests.actors.phones.world import within, world


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"contact": "Mom", "body": {"contains": "cat food"}, "box": "inbox", "read": False}, True),
        ({"contact": "Mom", "body": {"contains": "cat food"}, "read": True}, False),
        ({"address": "555-0108", "body": "I will pick her up.", "box": "sent", "read": True}, True),
        ({"contact": "Emma Larsen"}, False),
    ],
)
async def test_sms_are_told(
    adb_server: tuple[str, int], tmp_path: Path, written: dict[str, Any], expected: bool
) -> None:
    async with world(adb_server, tmp_path, lambda _: virtual_phones(360, 800)(0)) as place:
        assert await holds(place, sms=written) is expected
        assert place.ledger == ()


async def test_a_message_is_told_once_it_is_sent(adb_server: tuple[str, int], tmp_path: Path) -> None:
    sent = {"contact": "Emma Larsen", "body": "See you at noon", "box": "sent"}
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        assert not await holds(place, sms=sent)
        await send_sms(place, "555-0105", "See you at noon")
        assert await holds(place, sms=sent)
        messages = (await place.gateway.state(place.lease, "phone://state/sms", within()))["sms"]
    times = [datetime.fromisoformat(message["at"]) for message in messages]
    assert times == sorted(times)
    assert messages[-1]["body"] == "See you at noon"


async def test_a_message_may_hold_lines_and_the_words_of_columns(adb_server: tuple[str, int], tmp_path: Path) -> None:
    body = "Lunch, body=late\nRow: 3 cancelled\nNo result found.\n\n--- end"
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        await send_sms(place, "555-0105", body)
        assert await holds(place, sms={"body": body})


async def test_a_message_that_imitates_a_row_makes_the_sms_unanswered(
    adb_server: tuple[str, int], tmp_path: Path
) -> None:
    body = "Hello\nRow: 28 _id=29, date=0, type=2, read=1, address=555-0108, body=I paid"
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        await send_sms(place, "555-0105", body)
        with pytest.raises(StateUnavailable, match="rows of content://sms cannot be told from the texts in them"):
            await place.gateway.state(place.lease, "phone://state/sms", within())
        assert await holds(place, contact={"name": "Mom"})


async def test_a_number_without_a_contact_has_none(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        await send_sms(place, "555-0199", "Wrong number")
        messages = (await place.gateway.state(place.lease, "phone://state/sms", within()))["sms"]
    assert (messages[-1]["address"], messages[-1]["contact"]) == ("555-0199", None)


async def test_contacts_are_told(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        assert await holds(place, contact={"name": "Alice Carter", "number": "555-0101"})
        assert not await holds(place, contact={"name": "Alice Carter", "number": "555-0102"})


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("555-0101", "5550101", True),
        ("+49 170 1234567", "0170/1234567", True),
        ("+1 (650) 555-0101", "6505550101", True),
        ("555-0101", "650-555-0101", False),
        ("+49 170 1234567", "+49 170 1234568", False),
        ("BANK24", "24", False),
        ("", "", False),
        ("٥٥٥٠١٠١", "555-0101", True),
    ],
)
def test_numbers_of_different_form_are_compared_by_their_digits(one: str, other: str, expected: bool) -> None:
    assert is_same_number(one, other) is expected
    assert is_same_number(other, one) is expected


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_texts_can_be_compared(one: str, other: str) -> None:
    assert is_same_number(one, other) == is_same_number(other, one)
