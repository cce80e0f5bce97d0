from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manyhands.actors.phones.database import DATABASE
from manyhands.actors.phones.leases import Leases
from manyhands.actors.phones.locks import HostLock
from manyhands.protocol.errors import BadInput, LeaseLost, PhoneBusy
from manyhands.protocol.phones import Lease, Receipt
from tests.actors.phones.other_process import SERIAL

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


def test_the_same_holder_again_voids_its_older_lease(book: Leases) -> None:
    first = book.attach(SERIAL, "run-a", 30)
    second = book.attach(SERIAL, "run-a", 30)
    with pytest.raises(LeaseLost, match="epoch 1"):
        book.check(first)
    book.check(second)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


def test_old_keys_are_dropped(book: Leases, now: Now) -> None:
    lease = book.attach(SERIAL, "run-a", 1000)
    book.begin(lease, "old")
    now.seconds += 100
    book.begin(lease, "new")
    assert book.prune(50) == 1
    assert book.begin(lease, "old") is None
    assert book.begin(lease, "new") is not None


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
