"""Who is next: what is needed before what is speculative, then by time waited."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.perception.service import ReadingQueue


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=20))
def test_what_is_needed_goes_first_and_each_kind_in_its_order(people: list[tuple[bool, bool]]) -> None:
    """Each is (speculative when it came, needed later)."""
    line: ReadingQueue[int] = ReadingQueue(limit=20)
    for number, (speculative, _) in enumerate(people):
        assert line.add(number, speculative) is None
    for number, (_, needed) in enumerate(people):
        if needed:
            line.need(number)
    speculative = [number for number, (came, needed) in enumerate(people) if came and not needed]
    certain = [number for number in range(len(people)) if number not in speculative]
    assert [line.next() for _ in people] == certain + speculative
    assert line.next() is None


@given(st.lists(st.booleans(), max_size=20), st.integers(0, 5))
def test_a_full_line_gives_up_what_is_speculative_and_came_last(people: list[bool], limit: int) -> None:
    line: ReadingQueue[int] = ReadingQueue(limit)
    inside: list[int] = []
    for number, speculative in enumerate(people):
        left_out = line.add(number, speculative)
        waiting_speculatively = [one for one in inside if people[one]]
        if len(inside) < limit:
            assert left_out is None
            inside.append(number)
        elif speculative or not waiting_speculatively:
            assert left_out == number
        else:
            assert left_out == waiting_speculatively[-1]
            inside.remove(left_out)
            inside.append(number)
        assert len(line) == len(inside) <= limit
    assert {line.next() for _ in inside} == set(inside)


def test_one_who_left_is_not_next_and_leaves_once() -> None:
    line: ReadingQueue[str] = ReadingQueue(3)
    for name in ("a", "b"):
        line.add(name, speculative=False)
    assert line.remove("a")
    assert not line.remove("a")
    line.need("a")
    assert (line.next(), line.next()) == ("b", None)
