"""Serve phones with canned frames to adb: ``python -m manyhands.simulator.canned.phones``. No frame is drawn meanwhile.

    python -m manyhands.simulator.canned.phones --phones 8 --size 360x800 --json

Its announcement, its end and its control lines are those of ``python -m manyhands.simulator.fleet``.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence

from manyhands.protocol.errors import BadInput
from manyhands.simulator.canned.device import CannedPhone
from manyhands.simulator.canned.frames import PAGES, page
from manyhands.simulator.fleet.control import serve
from manyhands.simulator.fleet.virtual_fleet import DEFAULT_DENSITY, DEFAULT_SIZE, MakePhone, VirtualFleet, parse_size


def canned_phones(width: int, height: int) -> MakePhone:
    """Return a maker of phones of one size. All phones share their pages."""
    pages = tuple(page(width, height, number) for number in range(PAGES))
    density = max(80, round(DEFAULT_DENSITY * width / DEFAULT_SIZE[0]))
    return lambda seed: CannedPhone(seed, pages, density)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the phones. Exit with 0 after SIGTERM, Ctrl-C or the end of stdin, with 2 for bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m manyhands.simulator.canned.phones", description="Serve canned phones to adb."
    )
    parser.add_argument("--phones", type=int, default=1, metavar="N")
    parser.add_argument("--size", default="360x800", metavar="WxH")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--until-stdin-closes", action="store_true")
    options = parser.parse_args(arguments)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    try:
        fleet = VirtualFleet(options.phones, canned_phones(*parse_size(options.size)), seed=options.seed)
        asyncio.run(serve(fleet, as_json=options.json, until_stdin_closes=options.until_stdin_closes))
    except (BadInput, ValueError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
