"""Counts what a run's calls cost a real engine: ``python -m tests.vllm.sent_again RUN --url URL``. Not a test.

The recorded calls of a run are sent again as they were, in the order in which they were made, one after another and
one token long. A salt keeps earlier requests out of the engine's cache. What is counted is what the engine itself
counts: its prompt tokens, and those of them that its prefix cache had. The engine does not write the replies of the
run, which a chat shows in its next request. So a real run has a little more in the cache.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.actors.mllm.request.bodies import wire_body
from manyhands.deploy.replay import Pictures
from manyhands.evaluation.recorded_calls import RecordedCall, recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import Acted
from manyhands.protocol.roles.role import Role

COUNTERS = ("vllm:prompt_tokens_total", "vllm:prefix_cache_hits_total")
UNSENT_FIELDS = frozenset({"priority", "response_format", "seed"})
LONGEST_S = 300.0
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True)
class RunCost:
    """What the calls of a run have cost, by the engine's own counters."""

    steps: int
    """Actions that were carried out."""
    calls: Mapping[Role, int]
    prompt_tokens: int
    cached_tokens: int

    @property
    def calls_a_step(self) -> float:
        return sum(self.calls.values()) / self.steps

    @property
    def uncached_a_step(self) -> float:
        return (self.prompt_tokens - self.cached_tokens) / self.steps

    def __str__(self) -> str:
        roles = ", ".join(f"{role.value} {count}" for role, count in self.calls.items())
        return (
            f"{self.steps} steps, {self.calls_a_step:.2f} calls a step ({roles}), "
            f"{self.prompt_tokens / self.steps:.0f} input tokens a step, {self.uncached_a_step:.0f} not cached "
            f"({self.cached_tokens / self.prompt_tokens:.0%} cached)"
        )


def send_again(run: RunFolder, url: str, model: str) -> RunCost:
    """Send all calls of a run, and return what they have cost. Nobody else may ask the server meanwhile."""
    calls = sorted(recorded_calls(run), key=lambda one: one.call.started_at)
    pictures, salt = Pictures(run), f"{run.path.name}-{time.time_ns()}"
    before = _counted(url)
    for one in calls:
        _send(url, _body(one, pictures, model, salt))
    after = _counted(url)
    prompt, cached = (round(after[name] - before[name]) for name in COUNTERS)
    steps = sum(isinstance(record, Acted) for scan in run.journals.values() for record in scan.records)
    return RunCost(steps, _by_role(calls), prompt, cached)


def _body(one: RecordedCall, pictures: Pictures, model: str, salt: str) -> bytes:
    sent = {name: value for name, value in one.call.request.items() if name not in UNSENT_FIELDS}
    sent |= {"model": model, "max_tokens": 1, "cache_salt": salt}
    return wire_body(sent, pictures.of(sent))


def _send(url: str, body: bytes) -> None:
    request = urllib.request.Request(f"{url.rstrip('/')}/chat/completions", body, {"Content-Type": "application/json"})
    with _OPENER.open(request, timeout=LONGEST_S) as answer:
        json.load(answer)


def _counted(url: str) -> dict[str, float]:
    """Return the counters, each summed over its labels."""
    with _OPENER.open(f"{url.rstrip('/').removesuffix('/v1')}/metrics", timeout=LONGEST_S) as answer:
        page = answer.read().decode()
    return {
        name: sum(float(found) for found in re.findall(rf"^{name}(?:\{{[^}}]*\}})? (\S+)$", page, re.MULTILINE))
        for name in COUNTERS
    }


def _by_role(calls: Sequence[RecordedCall]) -> dict[Role, int]:
    roles = [one.role for one in calls]
    return {role: roles.count(role) for role in dict.fromkeys(roles)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", required=True)
    given = parser.parse_args()
    sys.stdout.write(f"{send_again(RunFolder(given.run), given.url, given.model)}\n")


if __name__ == "__main__":
    main()
