"""The sampler on a real process: busy functions are seen for as long as they are busy, idle ones are not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from deploy.bench.sampling import between, sizes
from evaluation.bench.samples import read_stacks

WORK = """
import sys, threading, time
from pathlib import Path
from deploy.bench.sampling import sampled

def busy(until=0.4):
    while time.thread_time() < until:
        sum(range(1000))

def idle():
    event.wait()

event = threading.Event()
with sampled(Path(sys.argv[1])):
    threads = [threading.Thread(target=work) for work in (busy, idle)]
    for thread in threads:
        thread.start()
    threads[0].join()
    event.set()
    threads[1].join()
"""


def test_cpu_time_is_seen_where_it_is_used(tmp_path: Path) -> None:
    folder = tmp_path / "samples"
    process = subprocess.Popen([sys.executable, "-c", WORK, str(folder)])
    assert process.wait(60) == 0
    (text,) = between(folder, {}, sizes(folder)).values()
    stacks = read_stacks(text)
    seen = sum(any(place.function.endswith(":busy") for place in stack) for stack in stacks)
    assert seen > 40  # 0.4 s of CPU at most 4 ms apart, whatever the wall clock says
    assert not any(any(place.function.endswith(":idle") for place in stack) for stack in stacks)
    later = between(folder, sizes(folder), sizes(folder))
    assert set(later.values()) == {""}
