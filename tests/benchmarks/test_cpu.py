"""What processes are called, and what was used in a window."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from manyhands.benchmarks.cpu import DRIVER, RAY, CpuReading, CpuWatch, kind_of
from manyhands.benchmarks.fleet_throughput import Window, cpu_ms


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("ray::EpisodeHost.run_episode", "EpisodeHost"),
        ("ray::Planner", "Planner"),
        ("ray::IDLE", RAY),
        ("ray::DashboardAgent", RAY),
        ("/x/ray/core/src/ray/raylet/raylet --socket y", RAY),
        ("python -m manyhands.simulator.fleet --phones 4", "virtual phones"),
        ("python -m manyhands.simulator.canned.model --json", "canned model"),
        ("python -m manyhands.simulator.rehearsal --json", "rehearsed model"),
        ("sleep 5", "other"),
    ],
)
def test_processes_are_called_by_what_they_are(line: str, kind: str) -> None:
    assert kind_of(line.split()) == kind


def test_a_sample_has_the_time_of_this_process() -> None:
    watch = CpuWatch(adb_port=1)
    used = os.times()
    sample = watch.sample()
    assert sample.seconds[DRIVER] >= used.user + used.system - 0.1
    assert watch.memory_mib()[DRIVER] > 1


MEASURE_MEMORY = """
import json, mmap
from multiprocessing.managers import SharedMemoryManager
import psutil
from manyhands.benchmarks.cpu import resident_mib

size = 64 * 2**20
measured = []
measure = lambda: measured.append(resident_mib(psutil.Process()))
measure()
with SharedMemoryManager() as manager:
    shared = manager.SharedMemory(size)
    shared.buf[:] = bytes(size)
    measure()
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as private:  # never memory reused
        private.write(bytes([1]) * size)
        measure()
print(json.dumps(measured))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells shared memory of a process")
def test_shared_memory_is_nobodys_own() -> None:
    # In a process of its own: in this one, other tests' garbage comes and goes.
    done = subprocess.run([sys.executable, "-c", MEASURE_MEMORY], capture_output=True, text=True, check=True)
    before, with_shared, with_both = json.loads(done.stdout)
    assert with_shared - before < 32
    assert with_both - with_shared > 32


def test_what_was_used_between_two_samples_is_spread_evenly() -> None:
    samples = [CpuReading(0, {"a": 1.0}), CpuReading(10, {"a": 3.0}), CpuReading(20, {"a": 3.0, "b": 1.0})]
    assert cpu_ms(samples, Window(5, 15)) == pytest.approx({"a": 1000, "b": 500})
