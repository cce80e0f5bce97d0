"""``python -m manyhands.simulator.rehearsal``: serve the rehearsed model until a signal or the end of stdin."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from manyhands.protocol.errors import BadInput
from manyhands.simulator.rehearsal.planting import Planted
from manyhands.simulator.rehearsal.server import MODEL_NAME, rehearse
from manyhands.simulator.rehearsal.settings import RehearsalSettings
from manyhands.simulator.serving.command_line import refuse, serve, server_parser, server_settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the rehearsed model. Exit with 0 after SIGTERM, Ctrl-C or the end of stdin, with 2 for bad input."""
    parser = server_parser("manyhands.simulator.rehearsal", __doc__, max_running=64)
    parser.add_argument(
        "--script", action="append", default=[], type=Path, dest="scripts", help="more goals that are rehearsed"
    )
    parser.add_argument(
        "--lessons", choices=[*Planted], default=Planted.NOTHING, type=Planted, help="what is wrong with them"
    )
    parser.add_argument("--obedient", action="store_true", help="obey all that screens say, before the goal")
    parser.add_argument("--reader-processes", type=int, default=1)
    options = parser.parse_args(arguments)
    try:
        settings = server_settings(RehearsalSettings, options)
    except BadInput as error:
        return refuse(error)
    return serve(rehearse(settings), {"model": MODEL_NAME, "mistakes": settings.mistakes}, options)


if __name__ == "__main__":
    sys.exit(main())
