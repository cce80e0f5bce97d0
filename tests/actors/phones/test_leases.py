from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from manyhands.actors.phones.leases import STALE_S, Leases, shared_clock
from manyhands.actors.phones.locks import HostLock
from manyhands.actors.sqlite_database import DATABASE, HostDatabase
from manyhands.protocol.errors import BadInput, LeaseLost, PhoneBusy
from manyhands.protocol.phones import Lease, Receipt
from manyhands.protocol.utilities.host_clock import HostClock
from tests.actors.phones.other_process import SERIAL
from tests.examples import examples

ROOT = Path(__file__).parents[3]


class Now:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def book(tmp_path: Path, now: Now) -> Iterator[Leases]:
    book = Leases(tmp_path, now)
    yield book
    book.close()


def receipt(key: str, detail: str = "") -> Receipt:
    return Receipt(key=key, status="done", detail=detail, sent_at=1.0, ms=2.0)


# ---------------------------------------------------------------------------- leases
def test_one_holder_at_a_time_and_the_other_is_named(book: Leases) -> None:
    book.attach(SERIAL, "run-a", 30)
    for ask in (lambda: book.attach(SERIAL, "run-b", 30), lambda: book.ensure_free(SERIAL, "run-b")):
        with pytest.raises(PhoneBusy, match="held by run-a for 30 s"):
            ask()
    assert book.attach("phone-2", "run-b", 30).epoch == 1
    assert book.holders() == {SERIAL: "run-a", "phone-2": "run-b"}


def test_a_lease_that_ran_out_is_free_and_lost(book: Leases, now: Now) -> None:
    old = book.attach(SERIAL, "run-a", 30)
    now.seconds += 31
    assert book.holders() == {}
    with pytest.raises(LeaseLost, match=r"ran out 1\.0 s ago"):
        book.check(old)
    with pytest.raises(LeaseLost):
        book.renew(old, 30)
    new = book.attach(SERIAL, "run-b", 30)
    assert new.epoch == old.epoch + 1
    with pytest.raises(LeaseLost, match="run-b"):
        book.begin(old, "k")
    book.detach(old)
    book.check(new)


def test_renewing_keeps_the_phone(book: Leases, now: Now) -> None:
    lease = book.attach(SERIAL, "run-a", 30)
    for _ in range(5):
        now.seconds += 20
        lease = book.renew(lease, 30)
    assert (lease.epoch, lease.expires_at) == (1, now.seconds + 30)
    book.check(lease)


def test_a_phone_given_back_is_free_and_epochs_go_on(book: Leases) -> None:
    first = book.attach(SERIAL, "run-a", 30)
    book.detach(first)
    book.detach(first)
    with pytest.raises(LeaseLost):
        book.check(first)
    assert book.attach(SERIAL, "run-b", 30).epoch == 2


def test_a_lease_tells_whether_nobody_else_had_the_phone_since_its_holders_last_one(book: Leases, now: Now) -> None:
    assert not book.attach(SERIAL, "run-a", 30).undisturbed
    assert book.attach(SERIAL, "run-a", 30).undisturbed
    now.seconds += 31
    book.detach(again := book.attach(SERIAL, "run-a", 30))
    assert again.undisturbed
    assert book.attach(SERIAL, "run-a", 30).undisturbed
    now.seconds += 31
    book.detach(book.attach(SERIAL, "run-b", 30))
    assert not book.attach(SERIAL, "run-a", 30).undisturbed


def test_the_same_holder_again_voids_its_older_lease(book: Leases) -> None:
    first = book.attach(SERIAL, "run-a", 30)
    second = book.attach(SERIAL, "run-a", 30)
    with pytest.raises(LeaseLost, match="epoch 1"):
        book.check(first)
    book.check(second)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 40)), max_size=25))
def test_no_two_leases_count_at_once(tmp_path: Path, asks: list[tuple[str, int]]) -> None:
    now = Now()
    book = Leases(tmp_path, now)
    serial = f"phone-{asks!r}"
    leases: list[Lease] = []
    for holder, later in asks:
        now.seconds += later
        try:
            leases.append(book.attach(serial, holder, 30))
        except PhoneBusy:
            continue
    assert [lease.epoch for lease in leases] == list(range(1, len(leases) + 1))
    for old in leases[:-1]:
        with pytest.raises(LeaseLost):
            book.check(old)
    book.close()


# ---------------------------------------------------------------------------- several runs on one phone
def asks(book: Leases, run: str, holder: str) -> Lease | None:
    try:
        return book.attach(SERIAL, holder, 1000, run)
    except PhoneBusy:
        return None


def test_a_run_that_was_refused_has_the_next_free_turn(book: Leases, now: Now) -> None:
    lease = book.attach(SERIAL, "a-1", 1000, "a")
    for run in ("b", "c", "b"):
        assert asks(book, run, f"{run}-1") is None
        now.seconds += 1
    book.detach(lease)
    with pytest.raises(PhoneBusy, match=f"phone {SERIAL} is free, and the run b has its next turn"):
        book.ensure_free(SERIAL, "a-2", "a")
    assert asks(book, "c", "c-1") is None
    order = []
    for _ in range(6):
        holders = [lease for run in ("a", "c", "b") if (lease := asks(book, run, f"{run}-{now.seconds}"))]
        assert len(holders) == 1
        order.append(holders[0].holder[0])
        now.seconds += 1
        for run in "abc":
            assert asks(book, run, "another") is None
        book.detach(holders[0])
    assert "".join(order) == "bcabca"


def test_a_run_that_stopped_asking_holds_up_nobody(book: Leases, now: Now) -> None:
    lease = book.attach(SERIAL, "a-1", 1000, "a")
    assert asks(book, "b", "b-1") is None
    book.detach(lease)
    now.seconds += STALE_S - 1
    assert asks(book, "a", "a-2") is None
    now.seconds += 1
    held = asks(book, "a", "a-2")
    assert held is not None
    assert asks(book, "b", "b-1") is None, "it begins at the end of the line"
    now.seconds += 1
    assert asks(book, "c", "c-1") is None
    book.detach(held)
    assert asks(book, "c", "c-1") is None
    assert asks(book, "b", "b-1") is not None


def test_a_lease_that_ran_out_and_went_to_nobody_is_its_holders_first(book: Leases, now: Now) -> None:
    first = book.attach(SERIAL, "a-1", 30, "a")
    now.seconds += 29
    assert asks(book, "b", "b-1") is None
    now.seconds += 2
    again = book.attach(SERIAL, "a-1", 30, "a")
    assert again.epoch == first.epoch + 1
    now.seconds += 31
    assert asks(book, "b", "b-1") is not None


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(0, 4)), max_size=60))
@example([("a", False, 0), ("b", False, 0), ("c", False, 0), *[("a", True, 0)] * 6])
def test_nobody_waits_for_two_turns_of_another(tmp_path: Path, events: list[tuple[str, bool, float]]) -> None:
    """Each run asks in any order, as long as it goes on asking; its turns are of any length."""
    now = Now()
    book = Leases(tmp_path, now)
    serial = f"phone-{events!r}"
    holds: Lease | None = None
    had: dict[str, list[str]] = {}
    """Who had turns since a run that waits was refused first."""
    for number, (run, ends, later) in enumerate(events):
        now.seconds += later
        if ends and holds is not None:
            book.detach(holds)
            holds = None
        for asking in (run, *had):
            if holds is not None and holds.holder.startswith(asking):
                continue
            try:
                holds = book.attach(serial, f"{asking}-{number}", 1000, asking)
            except PhoneBusy:
                had.setdefault(asking, [])
                continue
            assert max(map(had.pop(asking, []).count, "abc"), default=0) <= 1
            for turns in had.values():
                turns.append(asking)
    book.close()


# ---------------------------------------------------------------------------- action keys
def test_a_key_seen_again_gets_its_first_receipt(book: Leases) -> None:
    lease = book.attach(SERIAL, "run-a", 30)
    assert book.begin(lease, "k") is None
    book.finish(receipt("k", "first"))
    book.finish(receipt("k", "second"))
    assert book.begin(lease, "k") == receipt("k", "first").model_copy(update={"repeated": True})


def test_a_key_without_a_receipt_is_unknown_and_stays_so(book: Leases, now: Now) -> None:
    lease = book.attach(SERIAL, "run-a", 60)
    book.begin(lease, "k")
    now.seconds += 5
    for _ in range(2):
        again = book.begin(lease, "k")
        assert again is not None
        assert (again.status, again.repeated, again.sent_at) == ("unknown", True, 1000.0)


def test_a_key_that_was_certainly_not_sent_may_be_tried_again(book: Leases) -> None:
    lease = book.attach(SERIAL, "run-a", 30)
    book.begin(lease, "k")
    book.forget("k")
    assert book.begin(lease, "k") is None
    book.finish(receipt("k"))
    book.forget("k")
    assert book.begin(lease, "k") is not None


def test_keys_outlive_the_lease_and_the_process_that_wrote_them(book: Leases, tmp_path: Path, now: Now) -> None:
    first = book.attach(SERIAL, "run-a", 30)
    book.begin(first, "k")
    book.finish(receipt("k"))
    book.detach(first)
    again = Leases(tmp_path, now)
    assert again.begin(again.attach(SERIAL, "run-a", 30), "k") is not None
    again.close()


def test_what_became_of_a_key(book: Leases, now: Now) -> None:
    before = book.attach(SERIAL, "run-a", 30)
    for key in ("done", "cut off", "not sent"):
        book.begin(before, key)
    book.finish(receipt("done"))
    book.forget("not sent")
    lease = book.attach(SERIAL, "run-a", 30)
    keys = ("done", "cut off", "not sent", "never begun")
    with pytest.raises(LeaseLost, match="epoch 1"):
        book.recall(before, keys)
    now.seconds += 1
    receipts = book.recall(lease, keys)
    assert [receipt.key for receipt in receipts] == list(keys)
    assert [receipt.status for receipt in receipts] == ["done", "unknown", "refused", "refused"]
    assert receipts[0] == receipt("done").model_copy(update={"repeated": True})
    assert [receipt.status for receipt in book.recall(lease, keys)] == [receipt.status for receipt in receipts]


def test_a_key_that_was_recalled_is_never_begun(book: Leases) -> None:
    lease = book.attach(SERIAL, "run-a", 30)
    (told,) = book.recall(lease, ["k"])
    late = book.begin(lease, "k")
    assert (told.status, told.never_begun) == ("refused", True)
    assert late == told.model_copy(update={"repeated": True})
    assert book.recall(lease, ["k"]) == (late,)  # whoever did not hear the answer is told the same
    book.forget("k")
    assert book.begin(lease, "k") is not None


def test_old_keys_are_dropped(book: Leases, now: Now) -> None:
    lease = book.attach(SERIAL, "run-a", 1000)
    book.begin(lease, "old")
    now.seconds += 100
    book.begin(lease, "new")
    assert book.prune(50) == 1
    assert book.begin(lease, "old") is None
    assert book.begin(lease, "new") is not None


def test_who_had_a_phone_so_long_ago_that_its_keys_are_dropped_finds_it_disturbed(book: Leases, now: Now) -> None:
    """Of a key that was dropped ``recall`` would tell that it was never begun."""
    lease = book.attach(SERIAL, "run-a", 30)
    book.begin(lease, "k")
    now.seconds += 100
    assert book.prune(200) == 0
    assert book.attach(SERIAL, "run-a", 30).undisturbed
    now.seconds += 100
    assert book.prune(60) == 1
    assert not book.attach(SERIAL, "run-a", 30).undisturbed


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=f"{tmp_path}/file"):
        Leases(tmp_path / "file")


def test_a_damaged_database_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"no database" * 1000)
    with pytest.raises(BadInput, match="not a database"):
        Leases(tmp_path)


# ---------------------------------------------------------------------------- other processes
def process(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.actors.phones.other_process", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def test_of_two_processes_that_want_a_phone_one_gets_it(tmp_path: Path) -> None:
    processes = [process("attach", tmp_path, f"run-{number}") for number in range(2)]
    for each in processes:
        assert each.stdin is not None
        each.stdin.write("now\n")
        each.stdin.flush()
    said = sorted(each.communicate(timeout=60)[0].strip() for each in processes)
    assert said == ["1", "busy"]


def test_an_action_whose_process_died_is_unknown_and_not_begun_again(tmp_path: Path) -> None:
    with process("begin", tmp_path, "run-a", "k") as dead:
        assert dead.stdout is not None
        assert dead.stdout.read() == "begun\n"
    assert dead.returncode == 9
    book = Leases(tmp_path)
    again = book.begin(book.attach(SERIAL, "run-a", 60), "k")
    assert again is not None
    assert (again.status, again.repeated) == ("unknown", True)
    book.close()


async def test_a_lock_is_for_all_processes_and_ends_with_its_own(tmp_path: Path) -> None:
    other = process("lock", tmp_path)
    try:
        assert other.stdout is not None
        assert await asyncio.to_thread(other.stdout.readline) == "locked\n"
        lock = HostLock(tmp_path, SERIAL)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1), lock.held():
                pass
        other.kill()
        async with asyncio.timeout(20), lock.held():
            assert other.wait() != 0
    finally:
        other.kill()
        other.communicate()


async def test_a_lock_is_for_one_task_at_a_time(tmp_path: Path) -> None:
    one, other = HostLock(tmp_path, "127.0.0.1:5555"), HostLock(tmp_path, "127.0.0.1:5555")
    inside = 0

    async def enter(lock: HostLock) -> None:
        nonlocal inside
        async with lock.held():
            inside += 1
            assert inside == 1
            await asyncio.sleep(0)
            inside -= 1

    async with asyncio.TaskGroup() as group:
        for lock in (one, other, one, other):
            group.create_task(enter(lock))
    async with HostLock(tmp_path, "127.0.0.1:5556").held():
        assert inside == 0


@pytest.mark.parametrize("jump", [3600.0, -3600.0, 8 * 86400.0])
def test_a_lease_outlives_a_jump_of_the_clock_also_for_processes_that_start_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    before = Leases(tmp_path)
    lease = before.attach(SERIAL, "run-a", 600)
    wall = time.time
    monkeypatch.setattr(time, "time", lambda: wall() + jump)
    later = Leases(tmp_path)
    for book in (before, later):
        book.check(lease)
        assert book.holders() == {SERIAL: "run-a"}
        with pytest.raises(PhoneBusy, match="held by run-a"):
            book.attach(SERIAL, "run-b", 30)
    later.end(lease)
    assert before.holders() == {}
    before.close()
    later.close()


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
def test_a_lease_of_before_the_host_was_started_again_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    before = Leases(tmp_path)
    lease = before.attach(SERIAL, "run-a", 600)
    before.close()
    wall = time.time
    monkeypatch.setattr(time, "time", lambda: wall() + jump)
    database = HostDatabase(tmp_path, "")
    again = shared_clock(database, HostClock("another boot"))
    database.close()
    book = Leases(tmp_path, again.now)
    assert book.holders() == {}
    assert book.attach(SERIAL, "run-b", 30).epoch == lease.epoch + 1
    book.close()


def test_leases_of_before_there_was_a_shared_clock_still_run(tmp_path: Path) -> None:
    old = Leases(tmp_path, time.time)
    old.attach(SERIAL, "run-a", 600)
    old.close()
    book = Leases(tmp_path)
    assert book.holders() == {SERIAL: "run-a"}
    book.close()
