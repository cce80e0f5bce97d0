"""What becomes of due times that have come: in time, after an outage, and while the last batch has not ended."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from manyhands.protocol.service.batches import BatchRequest
from manyhands.protocol.service.schedules import (
    MissedRule,
    MissReason,
    OverlapRule,
    QueuedTime,
    ScheduleStatus,
)
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.service.schedule_runner import (
    GRACE_S,
    MOST_COUNTED,
    MOST_QUEUED,
    batch_of,
    key_of,
    plan_agenda,
)
from manyhands.service.timetables import due_times, read_timetable

START = 1_800_000_000.0
HOUR = 3600.0


def schedule(**given: Any) -> ScheduleStatus:
    values: dict[str, Any] = {
        "id": "s1",
        "owner": "ann",
        "name": "hourly",
        "when": "every 1h",
        "zone": "UTC",
        "batch": BatchRequest(tasks=(TaskSpec(id="buy", goal="Buy milk."),)),
        "deadline_s": None,
        "missed": MissedRule.ONCE,
        "overlap": OverlapRule.SKIP,
        "paused": False,
        "created_at": START,
        "counted_from": START,
        "settled_until": START,
    }
    return ScheduleStatus(**values | given)


HOURLY = read_timetable("every 1h", "UTC", START)


def test_nothing_happens_before_a_due_time() -> None:
    assert plan_agenda(schedule(), HOURLY, START + HOUR - 1, is_busy=False) is None


def test_a_due_time_is_queued_when_it_comes() -> None:
    agenda = plan_agenda(schedule(), HOURLY, START + HOUR + 3, is_busy=False)
    assert agenda is not None
    assert agenda.settled_until == START + HOUR
    assert agenda.queued == (QueuedTime(due=START + HOUR, taken_at=START + HOUR),)
    assert agenda.missed == ()


def test_a_missed_time_is_submitted_once_or_skipped() -> None:
    now = START + 5 * HOUR + 1800
    once = plan_agenda(schedule(), HOURLY, now, is_busy=False)
    skip = plan_agenda(schedule(missed=MissedRule.SKIP), HOURLY, now, is_busy=False)
    assert once is not None
    assert skip is not None
    assert once.queued == (QueuedTime(due=START + 5 * HOUR, taken_at=now),)
    assert [(one.count, one.last) for one in once.missed] == [(4, START + 4 * HOUR)]
    assert skip.queued == ()
    assert [(one.count, one.last, one.reason) for one in skip.missed] == [(5, START + 5 * HOUR, MissReason.OUTAGE)]


def test_the_rule_for_overlaps_decides_while_the_last_batch_is_open() -> None:
    now = START + 2 * HOUR
    old = QueuedTime(due=START + HOUR, taken_at=START + HOUR)
    new = QueuedTime(due=now, taken_at=now)
    found = {}
    for rule in OverlapRule:
        agenda = plan_agenda(
            schedule(overlap=rule, queued=(old,), settled_until=START + HOUR), HOURLY, now, is_busy=True
        )
        assert agenda is not None
        found[rule] = (agenda.queued, [(one.last, one.reason) for one in agenda.missed])
    assert found == {
        OverlapRule.SKIP: ((old,), [(now, MissReason.OVERLAP)]),
        OverlapRule.QUEUE: ((old, new), []),
        OverlapRule.CANCEL_OLD: ((new,), [(old.due, MissReason.REPLACED)]),
    }


def test_a_full_queue_takes_no_more() -> None:
    queue = tuple(QueuedTime(due=START - at, taken_at=START - at) for at in range(MOST_QUEUED, 0, -1))
    agenda = plan_agenda(schedule(overlap=OverlapRule.QUEUE, queued=queue), HOURLY, START + HOUR, is_busy=True)
    assert agenda is not None
    assert agenda.queued == queue
    assert [one.reason for one in agenda.missed] == [MissReason.QUEUE_FULL]


def test_a_long_outage_is_counted_in_bounds() -> None:
    minutely = read_timetable("* * * * *", "Europe/Berlin", START)
    agenda = plan_agenda(schedule(when="* * * * *"), minutely, START + 90 * 24 * HOUR, is_busy=False)
    assert agenda is not None
    assert [one.count for one in agenda.missed] == [MOST_COUNTED]
    assert agenda.settled_until == START + 90 * 24 * HOUR


def test_the_same_due_time_gives_the_same_batch_and_key() -> None:
    spec = schedule(deadline_s=900.0)
    entry = QueuedTime(due=START + HOUR, taken_at=START + HOUR + 50)
    assert batch_of(spec, entry) == batch_of(spec, entry)
    assert batch_of(spec, entry).deadline == START + HOUR + 950
    assert key_of("s1", entry.due) == key_of("s1", entry.due)
    assert key_of("s1", entry.due) != key_of("s11", entry.due)


@given(
    st.lists(st.floats(0.5, 20_000), min_size=1, max_size=12),
    st.sampled_from(["every 7m", "*/5 * * * *", "30 2 * * *"]),
    st.sampled_from(list(MissedRule)),
    st.sampled_from(list(OverlapRule)),
    st.lists(st.booleans(), min_size=12, max_size=12),
)
def test_each_due_time_is_queued_or_missed_exactly_once(
    waits: list[float], when: str, missed: MissedRule, overlap: OverlapRule, busy: list[bool]
) -> None:
    timetable = read_timetable(when, "Europe/Berlin", START)
    now, queued, skipped = START, list[float](), 0
    spec = schedule(when=when, zone="Europe/Berlin", missed=missed, overlap=overlap)
    for wait, is_busy in zip(waits, busy, strict=False):
        now += wait
        agenda = plan_agenda(spec, timetable, now, is_busy)
        if agenda is None:
            continue
        queued += [entry.due for entry in agenda.queued]
        assert all(now - entry.due <= GRACE_S or missed is MissedRule.ONCE for entry in agenda.queued)
        skipped += sum(one.count for one in agenda.missed)
        spec = spec.model_copy(update={"settled_until": agenda.settled_until, "queued": ()})
    due = list(takewhile(lambda at: at <= now, due_times(timetable, START)))
    assert len(queued) == len(set(queued))
    assert set(queued) <= set(due)
    assert len(queued) + skipped == len(due)
