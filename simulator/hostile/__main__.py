"""``python -m manyhands.simulator.hostile``: serve answers of any kind until a signal or the end of stdin.

``GET /stand-in/counts`` tells what was answered so far; ``POST /stand-in/share`` with a number from 0 to 1 sets the
share of hostile answers from then on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pydantic import ValidationError

from manyhands.protocol.errors import BadInput, explain
from manyhands.simulator.hostile.server import HostileServer
from manyhands.simulator.hostile.settings import HostileSettings, Page
from manyhands.simulator.serving.command_line import refuse, serve


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve hostile answers. Exit with 0 after SIGTERM, Ctrl-C or the end of stdin, with 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m manyhands.simulator.hostile", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0, help="share of hostile answers, 0 to 1")
    parser.add_argument("--honest", action="append", default=[], choices=[*Page], help="a page that never is hostile")
    parser.add_argument("--upstream", metavar="URL", help="a model server that gives the honest answers")
    parser.add_argument("--model", default=HostileSettings().model, help="what honest answers of its own name")
    parser.add_argument("--json", action="store_true", help="print one JSON line when ready")
    parser.add_argument("--until-stdin-closes", action="store_true")
    options = parser.parse_args(arguments)
    given = {name: value for name, value in vars(options).items() if name in HostileSettings.model_fields}
    try:
        settings = HostileSettings.model_validate(given)
    except ValidationError as error:
        return refuse(BadInput(explain(error, HostileSettings)))
    return serve(HostileServer(settings), {"model": settings.model, "seed": settings.seed}, options)


if __name__ == "__main__":
    sys.exit(main())
