"""Make web phones that show a MobileGym server."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources

from manyhands.protocol.errors import BadInput
from manyhands.simulator.fleet.virtual_fleet import MakePhone
from manyhands.simulator.mobilegym.phone import MobileGymPhone
from manyhands.simulator.web.browser import WebBrowser
from manyhands.simulator.web.fleet import page_access
from manyhands.simulator.web.screen import DP

PAGE_WIDTH = 360
"""The width of MobileGym's own browser in CSS pixels (``bench_env``)."""
WORLD_SCRIPT = (resources.files("manyhands.simulator.mobilegym") / "world.js").read_text("utf-8")


def mobilegym_phones(
    url: str, width: int, height: int, density: int | None = None, allowed: Iterable[str] = (), script: str = ""
) -> tuple[MakePhone, WebBrowser]:
    """Return a maker of phones that show the server at ``url``, and their browser. Raises BadInput.

    ``allowed``: as in ``page_access``. ``script`` runs in the page after ours.
    """
    if not url.startswith(("http://", "https://")):
        raise BadInput(f"--web mobilegym:{url}: write the address of your server, as mobilegym:http://127.0.0.1:4173")
    browser = WebBrowser(page_access(url, allowed), f"{WORLD_SCRIPT}\n{script}")
    dpi = density or DP * width // PAGE_WIDTH
    return lambda seed: MobileGymPhone(browser, url, seed, width, height, dpi), browser
