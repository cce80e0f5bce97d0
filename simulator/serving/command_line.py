"""Read the options that all stand-in model servers share, and serve until the process is to end."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError

from manyhands.protocol.errors import BadInput, explain
from manyhands.protocol.roles.role import Role, role_of, role_words
from manyhands.simulator.serving.settings import ServerSettings
from manyhands.simulator.serving.shutdown import Shutdown
from manyhands.simulator.serving.stdin import StdinLines

S = TypeVar("S", bound=ServerSettings)


class Listening(Protocol):
    @property
    def url(self) -> str: ...


def server_parser(module: str, description: str | None, max_running: int) -> argparse.ArgumentParser:
    """Return a parser with the options that every stand-in has. ``max_running``: the default of ``--max-running``."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--mistakes", type=float, default=0.0, help="share of replies that are wrong on purpose")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--latency",
        action="append",
        default=[],
        metavar="ROLE=SECONDS",
        help="planner (or plan), operator (or decide), ...",
    )
    parser.add_argument("--tokens-per-s", type=float, help="output tokens a second, shared by all requests")
    for cost, what in (
        ("--input-token-ms", "input token that no cache holds"),
        ("--output-token-ms", "output token"),
        ("--picture-ms", "picture that no cache holds"),
    ):
        parser.add_argument(cost, type=float, default=0.0, help=f"what each {what} adds to the least time of a reply")
    parser.add_argument("--max-running", type=int, default=max_running)
    parser.add_argument("--json", action="store_true", help="print one JSON line when ready")
    parser.add_argument("--until-stdin-closes", action="store_true")
    return parser


def server_settings(kind: type[S], options: argparse.Namespace) -> S:
    """Return the settings of type ``kind``, taken from the options of the same names. Raises BadInput."""
    given = {name: value for name, value in vars(options).items() if name in kind.model_fields}
    try:
        return kind.model_validate({**given, "latency_s": _latencies(options.latency)})
    except ValidationError as error:
        raise BadInput(explain(error, kind)) from error


def _latencies(given: Sequence[str]) -> dict[Role, float]:
    """Read ``ROLE=SECONDS`` texts. Raises BadInput."""
    found: dict[Role, float] = {}
    for text in given:
        role, _, value = text.partition("=")
        try:
            found[role_of(role)] = float(value)
        except ValueError as error:
            raise BadInput(f"--latency {text}: write ROLE=SECONDS with a role of {role_words()}") from error
    return found


def serve(opened: AbstractAsyncContextManager[Listening], ready: Mapping[str, Any], options: argparse.Namespace) -> int:
    """Serve until SIGTERM, SIGHUP, Ctrl-C or, with ``--until-stdin-closes``, the end of stdin.

    Return the exit code: 0, or 2 if the server cannot be opened. The process ends at most STOP_S (``shutdown``) after
    the signal, whatever it waits for. ``ready``: what the JSON line holds besides URL and process id.
    """
    try:
        asyncio.run(_serve(opened, ready, options.json, options.until_stdin_closes))
    except BadInput as error:
        return refuse(error)
    return 0


def refuse(error: BadInput) -> int:
    """Write the error in one line to stderr, and return exit code 2."""
    sys.stderr.write(f"error: {error}\n")
    return 2


async def _serve(
    opened: AbstractAsyncContextManager[Listening], ready: Mapping[str, Any], as_json: bool, until_stdin_closes: bool
) -> None:
    shutdown = Shutdown()
    async with opened as server, asyncio.TaskGroup() as tasks:
        line = json.dumps({"url": server.url, "pid": os.getpid(), **ready}) if as_json else f"listening at {server.url}"
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        stdin = tasks.create_task(_end_with_stdin(shutdown)) if until_stdin_closes else None
        await shutdown.wait()
        if stdin is not None:
            stdin.cancel()


async def _end_with_stdin(shutdown: Shutdown) -> None:
    lines = StdinLines(asyncio.get_running_loop())
    while await lines.next() is not None:
        pass
    shutdown.begin()
