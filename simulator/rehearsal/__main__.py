"""``python -m simulator.rehearsal``: serve the rehearsed model until told to stop."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from protocol.base import Role
from protocol.errors import BadInput, explain
from simulator.rehearsal.server import MODEL_NAME, rehearse
from simulator.rehearsal.settings import RehearsalSettings


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
    parser = argparse.ArgumentParser(prog="python -m simulator.rehearsal", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--mistakes", type=float, default=0.0, help="share of replies that are wrong on purpose")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--latency", action="append", default=[], metavar="ROLE=SECONDS", help="plan, decide, ...")
    parser.add_argument("--tokens-per-s", type=float, help="output tokens a second, shared by all requests")
    parser.add_argument("--max-running", type=int, default=64)
    parser.add_argument("--script", action="append", default=[], type=Path, help="more goals that are rehearsed")
    parser.add_argument("--reader-processes", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON line when ready")
    parser.add_argument("--until-stdin-closes", action="store_true")
    return parser


def _settings(options: argparse.Namespace) -> RehearsalSettings:
    latencies: dict[str, str] = {}
    for text in options.latency:
        role, mark, seconds = text.partition("=")
        if not mark or role not in list(Role):
            raise BadInput(f"--latency {text}: write ROLE=SECONDS with a role of {', '.join(Role)}")
        latencies[role] = seconds
    try:
        return RehearsalSettings.model_validate(
            {
                "host": options.host,
                "port": options.port,
                "mistakes": options.mistakes,
                "seed": options.seed,
                "latency_s": latencies,
                "tokens_per_s": options.tokens_per_s,
                "max_running": options.max_running,
                "scripts": tuple(options.script),
                "reader_processes": options.reader_processes,
            }
        )
    except ValidationError as error:
        raise BadInput(explain(error, RehearsalSettings)) from error


async def _serve(settings: RehearsalSettings, as_json: bool, until_stdin_closes: bool) -> None:
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told.set)
    if until_stdin_closes:
        loop.add_reader(sys.stdin.fileno(), lambda: _watch_stdin(told))
    async with rehearse(settings) as server:
        ready = {"url": server.url, "model": MODEL_NAME, "pid": os.getpid(), "mistakes": settings.mistakes}
        sys.stdout.write((json.dumps(ready) if as_json else f"rehearsed model at {server.url}") + "\n")
        sys.stdout.flush()
        await told.wait()


def _watch_stdin(told: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        told.set()


if __name__ == "__main__":
    sys.exit(main())
