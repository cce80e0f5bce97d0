"""``python -m manyhands.simulator.rehearsal``: serve the rehearsed model until told to stop."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from manyhands.protocol.errors import BadInput, explain
from manyhands.simulator.rehearsal.server import MODEL_NAME, rehearse
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from manyhands.simulator.serving.command_line import by_role, refuse, serve, server_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 after SIGTERM, Ctrl-C or the end of stdin; 2 for bad input."""
    options = _parser().parse_args(arguments)
    try:
        settings = _settings(options)
    except BadInput as error:
        return refuse(error)
    return serve(rehearse(settings), {"model": MODEL_NAME, "mistakes": settings.mistakes}, options)


def _parser() -> argparse.ArgumentParser:
    parser = server_parser("manyhands.simulator.rehearsal", __doc__, max_running=64)
    parser.add_argument("--script", action="append", default=[], type=Path, help="more goals that are rehearsed")
    parser.add_argument("--reader-processes", type=int, default=1)
    return parser


def _settings(options: argparse.Namespace) -> RehearsalSettings:
    try:
        return RehearsalSettings.model_validate(
            {
                "host": options.host,
                "port": options.port,
                "mistakes": options.mistakes,
                "seed": options.seed,
                "latency_s": by_role("--latency", "ROLE=SECONDS", options.latency, float),
                "tokens_per_s": options.tokens_per_s,
                "max_running": options.max_running,
                "scripts": tuple(options.script),
                "reader_processes": options.reader_processes,
            }
        )
    except ValidationError as error:
        raise BadInput(explain(error, RehearsalSettings)) from error


if __name__ == "__main__":
    sys.exit(main())
