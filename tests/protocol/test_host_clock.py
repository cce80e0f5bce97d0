import subprocess
import sys
import time

import pytest

from manyhands.protocol.utilities.host_clock import HostClock, boot_id

HOUR = 3600.0


class Machine:
    """The clocks of one host: people may set the wall clock; the other one only goes on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall, self.seconds = 1_800_000_000.0, 500.0
        monkeypatch.setattr(time, "time", lambda: self.wall)

    def pass_time(self, seconds: float) -> None:
        self.wall += seconds
        self.seconds += seconds

    def clock(self, boot: str = "first") -> HostClock:
        return HostClock(boot, lambda: self.seconds)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


@pytest.mark.parametrize("jump", [HOUR, -HOUR, 8 * 24 * HOUR])
def test_a_clock_that_is_set_moves_no_time(machine: Machine, jump: float) -> None:
    clock = machine.clock()
    began = clock.now()
    assert began == machine.wall
    machine.pass_time(5)
    machine.wall += jump
    machine.pass_time(5)
    assert clock.now() - began == 10


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_a_process_that_starts_after_the_jump_tells_the_time_of_who_started_it(machine: Machine, jump: float) -> None:
    older = machine.clock()
    machine.wall += jump
    younger = machine.clock()
    younger.adopt(older.anchor)
    assert younger.now() == older.now()


def test_a_process_of_another_host_keeps_its_own_time(machine: Machine) -> None:
    older = machine.clock()
    machine.wall += HOUR
    elsewhere = machine.clock("second")
    elsewhere.adopt(older.anchor)
    assert elsewhere.now() == machine.wall


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
@pytest.mark.parametrize(("boot", "way_s"), [("first", 2.0), ("second", 0.0)])
def test_a_deadline_that_another_process_told_has_as_much_time_left_here(
    machine: Machine, jump: float, boot: str, way_s: float
) -> None:
    caller = machine.clock()
    machine.wall += jump
    called = machine.clock(boot)
    told_at = caller.now()
    machine.pass_time(2)
    here = called.here(told_at + 30, caller.anchor, told_at)
    assert here - called.now() == 30 - way_s  # between hosts nobody knows how long the way took


def test_time_never_goes_back_when_the_clock_is_set_back(machine: Machine) -> None:
    written = machine.clock().now()
    machine.wall -= HOUR
    clock = machine.clock()
    clock.advance_to(written)
    assert clock.now() == written
    clock.advance_to(written - HOUR)
    assert clock.now() == written


def test_processes_of_this_boot_name_it_alike() -> None:
    words = [sys.executable, "-c", "from manyhands.protocol.utilities.host_clock import boot_id; print(boot_id())"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip() == boot_id()
