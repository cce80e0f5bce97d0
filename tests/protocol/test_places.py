"""Places of records in a journal: what is there twice counts once, what is void does not, what is missing is named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyhands.protocol.journals.journal import Scan, encode, scan
from manyhands.protocol.journals.records import ActionSent
from manyhands.protocol.screens.actions import Home
from tests.examples import examples

Written = tuple[int, int, int]
"""What is written, its place, and the epoch under which it is written."""


def journal(*written: Written) -> bytes:
    return b"".join(
        encode(ActionSent(at=1, step=what, key=f"e:{what}", action=Home()), "e", what, seq, epoch)
        for what, seq, epoch in written
    )


def steps(found: Scan) -> list[int]:
    return [record.step for record in found.records]


@pytest.mark.parametrize(
    ("written", "counts", "next_seq", "epoch"),
    [
        pytest.param([(1, 0, 1), (2, 1, 1)], [1, 2], 2, 1, id="in order"),
        pytest.param([(1, 0, 1), (2, 1, 1), (1, 0, 1), (2, 1, 1), (3, 2, 1)], [1, 2, 3], 3, 1, id="a batch twice"),
        pytest.param([(1, 0, 1), (2, 1, 1), (9, 2, 3), (10, 3, 3)], [1, 2, 9, 10], 4, 3, id="gone on with"),
        pytest.param([(1, 0, 1), (2, 1, 1), (3, 2, 1), (9, 1, 3)], [1, 9], 2, 3, id="a newer epoch replaces"),
        pytest.param([(1, 0, 1), (9, 1, 3), (2, 1, 1), (3, 2, 1)], [1, 9], 2, 3, id="too late"),
        pytest.param([(1, 0, 1), (9, 1, 2), (5, 1, 3)], [1, 5], 2, 3, id="twice gone on with"),
    ],
)
def test_each_place_counts_once_by_the_newest_epoch_that_wrote_it(
    written: list[Written], counts: list[int], next_seq: int, epoch: int
) -> None:
    found = scan(journal(*written))
    assert (steps(found), found.next_seq, found.epoch, found.damage) == (counts, next_seq, epoch, ())


def test_records_that_are_missing_are_named_where_they_would_be() -> None:
    first, last = journal((1, 0, 1)), journal((5, 4, 1))
    found = scan(first + last)
    assert [(part.start, part.end) for part in found.damage] == [(len(first), len(first))]
    assert "records 1 to 3 are missing" in found.damage[0].reason
    assert "record 0 is missing" in scan(journal((2, 1, 1))).damage[0].reason
    assert (steps(found), found.next_seq) == ([1, 5], 5)


def test_what_is_damaged_is_not_named_as_missing_too() -> None:
    whole = bytearray(journal((1, 0, 1), (2, 1, 1), (3, 2, 1)))
    whole[len(whole) // 2] ^= 1
    assert len(scan(bytes(whole)).damage) == 1


def test_of_a_batch_that_is_there_twice_one_copy_may_be_damaged() -> None:
    batch = journal((2, 1, 1), (3, 2, 1))
    damaged = bytearray(batch)
    damaged[-1] ^= 1
    found = scan(journal((1, 0, 1)) + bytes(damaged) + batch + journal((4, 3, 1)))
    assert (steps(found), len(found.damage)) == ([1, 2, 3, 4], 1)


def test_records_without_places_count_in_their_order_and_are_resumed() -> None:
    old = b"".join(encode(ActionSent(at=1, step=n, key="k", action=Home()), "e") for n in range(3))
    assert (scan(old).next_seq, scan(old).epoch) == (3, 0)
    found = scan(old + journal((7, 3, 2), (8, 4, 2)))
    assert (steps(found), found.damage) == ([0, 1, 2, 7, 8], ())


@given(st.data())
@settings(max_examples=examples(60), deadline=None)
def test_appending_again_what_may_be_there_leaves_one_history(
    data: st.DataObject,
) -> None:
    """Writers one after another, each with a newer epoch: batches whose answer is lost come twice or more, and what
    a writer wrote after the next one had read the journal comes late or never."""
    written: list[Written] = []
    history: list[int] = []
    what, late = 0, list[Written]()
    for epoch in range(1, data.draw(st.integers(2, 4))):
        seq = scan(journal(*written)).next_seq
        assert seq == len(history)
        late = [entry for entry in late if data.draw(st.booleans())]
        for size in data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=4)):
            batch = [(what + n, seq + n, epoch) for n in range(size)]
            what, seq = what + size, seq + size
            written += late  # before or after the first record of the newer epoch
            late = []
            for _ in range(data.draw(st.integers(1, 3))):
                written += batch
            history += [step for step, _, _ in batch]
        late = [(what + n, seq + n, epoch) for n in range(data.draw(st.integers(0, 3)))]
        what += len(late)
    found = scan(journal(*written))
    assert (steps(found), found.damage) == (history, ())
