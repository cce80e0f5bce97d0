"""``python -m manyhands.simulator.canned.model``: serve the canned model until a signal or the end of stdin."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from manyhands.protocol.errors import BadInput
from manyhands.simulator.canned.server import MODEL_NAME, CannedServer
from manyhands.simulator.serving.command_line import refuse, serve, server_parser, server_settings
from manyhands.simulator.serving.settings import ServerSettings


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the canned model. Exit with 0 after SIGTERM, Ctrl-C or the end of stdin, with 2 for bad input."""
    options = server_parser("manyhands.simulator.canned.model", __doc__, max_running=1024).parse_args(arguments)
    try:
        settings = server_settings(ServerSettings, options)
        if settings.mistakes:
            raise BadInput("--mistakes: the canned model makes none")
    except BadInput as error:
        return refuse(error)
    return serve(CannedServer(settings), {"model": MODEL_NAME}, options)


if __name__ == "__main__":
    sys.exit(main())
