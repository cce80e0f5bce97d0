"""Serve a fleet of virtual phones from a process of its own.

    python -m manyhands.simulator.fleet --phones 4 --size 1080x2400 --seed 1 --json

prints one line when the phones are ready, with ``--json`` as ``{"ports": [...], "serials": [...], "seeds": [...]}``. It
serves until SIGTERM, SIGHUP or SIGINT. With ``--until-stdin-closes`` it also ends when its stdin closes, and so it ends
with its parent process, for whatever reason that ends. With this option it also obeys control lines from stdin, and
answers each with one line of JSON on stdout:

    vanish 2        the phone with index 2 (from 0) drops its connections and closes its port
    return 2        it listens on the same port again; its apps, files and ledger are unchanged
    set 2 battery 4 its charge is 4 percent, and it is not charging; there are also celsius, thermal, free_mb, lock,
                    screenshots, and others (docs/virtual-phones.md)

``--vendor NAME`` (or ``NAME@INDEX``, for one phone) makes phones answer as some vendor's do
(``simulator.phone.vendors``). ``--cut 6@10`` makes every phone vanish once: for 6 s, after it has received 10 inputs.
``--web PAGE`` makes web phones (``simulator.web``) in place of drawn ones; ``--web miniwob`` some that are reset to
MiniWoB's problems (``simulator.miniwob``); ``--web mobilegym:URL`` some that show a MobileGym server
(``simulator.mobilegym``).

Bad arguments, and options without an effect on these phones, give one line on stderr and exit code 2.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import Any, NoReturn

import cv2

from manyhands.protocol.errors import BadInput
from manyhands.simulator.fleet.control import serve
from manyhands.simulator.fleet.cut import Cut
from manyhands.simulator.fleet.virtual_fleet import DEFAULT_SIZE, MakePhone, VirtualFleet, parse_size, virtual_phones
from manyhands.simulator.phone.content.library import Library
from manyhands.simulator.phone.content.planted import read_planted
from manyhands.simulator.phone.device import DeviceLost
from manyhands.simulator.phone.ui.course import FAMILIES
from manyhands.simulator.phone.vendors.catalogue import all_vendors

MINIWOB = "miniwob"
"""The name of MiniWoB's pages in place of a start page."""
MOBILEGYM = "mobilegym:"
"""What stands before the address of a MobileGym server."""


class _Parser(argparse.ArgumentParser):
    """Report bad arguments in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}\n")


def _web_phones(options: argparse.Namespace) -> tuple[MakePhone, AbstractAsyncContextManager[Any]]:
    """Return a maker of web phones, and their browser, which is to be open meanwhile. Raises BadInput."""
    try:
        if options.web == MINIWOB:
            from manyhands.simulator.miniwob.phones import miniwob_phones

            return miniwob_phones(*parse_size(options.size))
        from manyhands.simulator.web.browser import WebBrowser
        from manyhands.simulator.web.fleet import page_access, page_url, web_phones
    except ModuleNotFoundError as error:
        raise BadInput(f"web phones need {error.name}: pip install 'manyhands[web]'") from error
    script = _read_script(Path(options.web_script)) if options.web_script else ""
    if options.web.startswith(MOBILEGYM):
        from manyhands.simulator.mobilegym.phones import mobilegym_phones

        url, size = options.web.removeprefix(MOBILEGYM), parse_size(options.size)
        return mobilegym_phones(url, *size, options.density, options.web_allow, script)
    url = page_url(options.web)
    browser = WebBrowser(page_access(url, options.web_allow), script)
    return web_phones(browser, url, *parse_size(options.size), options.density), browser


def _refuse_options_without_effect(options: argparse.Namespace) -> None:
    """Raise BadInput for an option that the chosen kind of phones does not heed."""
    kind, ignored = "drawn", ["web_allow", "web_script"]
    if options.web:
        kind, ignored = "web", ["transitions", "planted"]
    if options.web == MINIWOB:
        kind, ignored = "MiniWoB's", ["transitions", "planted", "density", "web_allow", "web_script"]
    for name in ignored:
        if getattr(options, name):
            raise BadInput(f"--{name.replace('_', '-')} has no effect on {kind} phones: leave it out")


def _read_script(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"--web-script {path} cannot be read: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _Parser(prog="python -m manyhands.simulator.fleet", description="Serve virtual phones to adb.")
    parser.add_argument("--phones", type=int, default=1, metavar="N")
    parser.add_argument("--size", default="x".join(map(str, DEFAULT_SIZE)), metavar="WxH")
    parser.add_argument("--density", type=int, metavar="DPI")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--transitions", choices=FAMILIES, help="how what inputs change comes in; see simulator.phone.ui.course"
    )
    parser.add_argument(
        "--cut",
        metavar="SECONDS[@INPUTS]",
        help="cut every phone off once, for so long, after so many inputs",
    )
    parser.add_argument(
        "--vendor", action="append", default=[], metavar="NAME[@INDEX]", help=f"{', '.join(all_vendors())}"
    )
    parser.add_argument(
        "--web",
        metavar="PAGE",
        help="web phones with this start page: address, file, folder; or miniwob, mobilegym:URL",
    )
    parser.add_argument("--web-allow", action="append", default=[], metavar="HOST|FOLDER", help="may be loaded as well")
    parser.add_argument("--web-script", metavar="FILE", help="JavaScript that runs in every page before its own")
    parser.add_argument("--planted", type=Path, metavar="FILE", help="what an attacker plants, by the seed of a reset")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--until-stdin-closes", action="store_true")
    options = parser.parse_args(arguments)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    cv2.setNumThreads(1)  # many phones share few cores, so more threads would only get in each other's way
    browser: AbstractAsyncContextManager[Any] = nullcontext()
    try:
        _refuse_options_without_effect(options)
        if options.web:
            make, browser = _web_phones(options)
        else:
            timing = (options.transitions, options.seed) if options.transitions else None
            content = read_planted(options.planted) if options.planted else Library
            make = virtual_phones(*parse_size(options.size), options.density, timing, content)
        fleet = VirtualFleet(options.phones, make, seed=options.seed, vendors=options.vendor)
        cut = Cut.parse(options.cut) if options.cut else None
    except (BadInput, ValueError) as error:
        parser.error(str(error))

    async def run() -> None:
        async with browser:
            await serve(fleet, as_json=options.json, until_stdin_closes=options.until_stdin_closes, cut=cut)

    try:
        asyncio.run(run())
    except (BadInput, DeviceLost) as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
