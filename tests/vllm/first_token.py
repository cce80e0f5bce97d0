"""Measures how much sooner a second role is answered: ``python -m tests.vllm.first_token RUN --url URL``. Not a test.

Each of the operator's recorded calls is sent twice, in the order of parts that Manyhands uses: cold, when the engine
has the system text and the episode's brief in its cache but not the picture; and after the planner's call about the
same picture. Times to the first token; requests one at a time, so that nothing waits for another.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.roles.role import Role
from tests.vllm.layouts import Call, Engine, list_after_its_picture, recorded


def pairs(calls: Sequence[Call]) -> list[tuple[Call, Call]]:
    """Each planner's call with the operator's next call about the same picture."""
    planned: dict[str, Call] = {}
    found = []
    for call in calls:
        seen = call.pictures[-1].content_id
        if call.role is Role.PLAN:
            planned[seen] = call
        elif call.role is Role.DECIDE and seen in planned:
            found.append((planned.pop(seen), call))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", default="qwen-vl")
    given = parser.parse_args()
    run = RunFolder(given.run)
    engine = Engine(given.url, given.model, run)
    cold, warm = [], []
    for number, (plan, decide) in enumerate(pairs(recorded(run))):
        salt = f"{time.time_ns()}-{number}"
        for kind in ("cold", "warm"):
            system, content = list_after_its_picture(plan)
            engine.ask(Role.PLAN, system, content[:1], f"{salt}-{kind}")
        system, content = list_after_its_picture(decide)
        cold.append(engine.ask(Role.DECIDE, system, content, f"{salt}-cold"))
        engine.ask(Role.PLAN, *list_after_its_picture(plan), f"{salt}-warm")
        warm.append(engine.ask(Role.DECIDE, system, content, f"{salt}-warm"))
    if not cold:
        raise SystemExit(f"{given.run}: no planner and operator were asked about the same picture")
    for name, answers in (("cold", cold), ("after another role", warm)):
        times = [answer.first_token_s * 1000 for answer in answers]
        fresh = statistics.median(answer.prompt_tokens - answer.cached_tokens for answer in answers)
        sys.stdout.write(
            f"{name:20} first token after {statistics.median(times):6.0f} ms (median of {len(times)}), "
            f"{fresh:5.0f} tokens not cached\n"
        )
    ratio = statistics.median(a.first_token_s / b.first_token_s for a, b in zip(cold, warm, strict=True))
    sys.stdout.write(f"sooner by a factor of {ratio:.1f} (median of the pairs)\n")


if __name__ == "__main__":
    main()
