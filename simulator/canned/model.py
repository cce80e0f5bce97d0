"""``python -m simulator.canned.model``: serve the canned model until told to stop."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import ValidationError

from protocol.base import Role
from protocol.errors import BadInput, explain
from simulator.canned.server import MODEL_NAME, CannedSettings, serve_canned

N = TypeVar("N", int, float)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 after SIGTERM, Ctrl-C or the end of stdin; 2 for bad input."""
    options = _parser().parse_args(arguments)
    try:
        settings = _settings(options)
        asyncio.run(_serve(settings, options.json, options.until_stdin_closes))
    except BadInput as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m simulator.canned.model", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency", action="append", default=[], metavar="ROLE=SECONDS", help="plan, decide, ...")
    parser.add_argument("--tokens", action="append", default=[], metavar="ROLE=N", help="tokens a reply counts as")
    parser.add_argument("--tokens-per-s", type=float, help="output tokens a second, shared by all requests")
    parser.add_argument("--max-running", type=int, default=1024)
    parser.add_argument("--change-every", type=int, default=0, metavar="N", help="a new subgoal every N steps")
    parser.add_argument("--mistakes", type=float, default=0.0, help="share of verdicts that are B")
    parser.add_argument("--finish-at", type=int, metavar="STEP", help="the plan is finished at this step")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON line when ready")
    parser.add_argument("--until-stdin-closes", action="store_true")
    return parser


def _settings(options: argparse.Namespace) -> CannedSettings:
    try:
        return CannedSettings.model_validate(
            {
                "host": options.host,
                "port": options.port,
                "latency_s": _by_role("--latency", options.latency, float),
                "tokens": _by_role("--tokens", options.tokens, int),
                "tokens_per_s": options.tokens_per_s,
                "max_running": options.max_running,
                "replies": {
                    "change_every": options.change_every,
                    "mistakes": options.mistakes,
                    "finish_at": options.finish_at,
                    "seed": options.seed,
                },
            }
        )
    except ValidationError as error:
        raise BadInput(explain(error, CannedSettings)) from error


def _by_role(option: str, given: Sequence[str], number: Callable[[str], N]) -> dict[str, N]:
    """``ROLE=NUMBER`` texts as a mapping. Raises BadInput."""
    found: dict[str, N] = {}
    for text in given:
        role, _, value = text.partition("=")
        try:
            found[Role(role)] = number(value)
        except ValueError as error:
            raise BadInput(f"{option} {text}: write ROLE=NUMBER with a role of {', '.join(Role)}") from error
    return found


async def _serve(settings: CannedSettings, as_json: bool, until_stdin_closes: bool) -> None:
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    if until_stdin_closes:
        loop.add_reader(sys.stdin.fileno(), lambda: _watch_stdin(told))
    async with serve_canned(settings) as server:
        ready = {"url": server.url, "model": MODEL_NAME, "pid": os.getpid()}
        sys.stdout.write((json.dumps(ready) if as_json else f"canned model at {server.url}") + "\n")
        sys.stdout.flush()
        await told.wait()


def _watch_stdin(told: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        told.set()


if __name__ == "__main__":
    sys.exit(main())
