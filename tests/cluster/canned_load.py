"""``python -m tests.cluster.canned_load PHONES URL SECONDS FOLDER``: on a node, work on many canned phones for a while.

PHONES are serials with commas. Each has one task that does not end; a reading of what is done and of what waits is
printed as a line of JSON every 10 s. Phones, model and perception are stand-ins: no figure is one of real ones.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from manyhands.benchmarks.modelled_perception import modelled_readers
from manyhands.benchmarks.testbed import endless
from manyhands.deploy.fleet.fleet import Fleet

READ_EVERY_S = 10.0
WAITING = ("manyhands_model_waiting", "manyhands_perception_waiting", "manyhands_server_waiting")
PERCEPTION_S, READERS = 1.0, 32
PERCEPTION_ACTORS, HOSTS = 2, 4


async def main(phones: list[str], url: str, seconds: float, folder: Path) -> None:
    """Work on the phones until so long after the first step of each."""
    fleet = Fleet(
        readers=modelled_readers(PERCEPTION_S, READERS),
        phones=phones,
        mllm_url=[url],
        ray_address="auto",
        out=folder,
        hosts=HOSTS,
        perception_actors=PERCEPTION_ACTORS,
        stagger_s=0.05,
        metrics_port=0,
    )
    began = time.monotonic()
    async with fleet:
        assert fleet.metrics is not None
        _say(open_after_s=round(time.monotonic() - began, 1))
        batch = asyncio.create_task(fleet.run_batch(endless(len(phones), 1000)))
        try:
            until = None
            while until is None or time.monotonic() < until:
                done, _ = await asyncio.wait({batch}, timeout=READ_EVERY_S)
                if done:
                    batch.result()
                    sys.exit("the fleet had nothing left to do")
                progress = await fleet.progress()
                steps = [item.step for item in progress.running]
                if until is None and len(steps) == len(phones) and min(steps) > 0:
                    until = time.monotonic() + seconds
                waiting = await asyncio.to_thread(_waiting, fleet.metrics.url)
                ended = [str(item.ending) for item in progress.latest]
                _say(
                    at=time.time(), steps=sum(steps), working=len(steps), all=until is not None, ended=ended, **waiting
                )
        finally:
            batch.cancel()
            await asyncio.gather(batch, return_exceptions=True)


def _waiting(url: str) -> dict[str, float]:
    """Return how many calls and pictures wait now, added up over roles and servers."""
    with urllib.request.urlopen(url, timeout=15) as answer:
        lines = answer.read().decode().splitlines()
    found = [line for line in lines if line.startswith(WAITING)]
    return {
        name.removeprefix("manyhands_"): sum(float(line.rpartition(" ")[2]) for line in found if line.startswith(name))
        for name in WAITING
    }


def _say(**values: Any) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1].split(","), sys.argv[2], float(sys.argv[3]), Path(sys.argv[4])))
