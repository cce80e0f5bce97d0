"""``python -m manyhands.simulator.canned.model``: serve the canned model until told to stop."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pydantic import ValidationError

from manyhands.protocol.errors import BadInput, explain
from manyhands.simulator.canned.server import MODEL_NAME, CannedSettings, serve_canned
from manyhands.simulator.serving.command_line import by_role, refuse, serve, server_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 after SIGTERM, Ctrl-C or the end of stdin; 2 for bad input."""
    options = _parser().parse_args(arguments)
    try:
        settings = _settings(options)
    except BadInput as error:
        return refuse(error)
    return serve(serve_canned(settings), {"model": MODEL_NAME}, options)


def _parser() -> argparse.ArgumentParser:
    parser = server_parser("manyhands.simulator.canned.model", __doc__, max_running=1024)
    parser.add_argument("--tokens", action="append", default=[], metavar="ROLE=N", help="tokens a reply counts as")
    parser.add_argument("--change-every", type=int, default=0, metavar="N", help="a new subgoal every N steps")
    parser.add_argument("--finish-at", type=int, metavar="STEP", help="the plan is finished at this step")
    return parser


def _settings(options: argparse.Namespace) -> CannedSettings:
    try:
        return CannedSettings.model_validate(
            {
                "host": options.host,
                "port": options.port,
                "latency_s": by_role("--latency", "ROLE=SECONDS", options.latency, float),
                "tokens": by_role("--tokens", "ROLE=N", options.tokens, int),
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


if __name__ == "__main__":
    sys.exit(main())
