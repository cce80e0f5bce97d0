"""Make web phones that show MiniWoB's problems: a reset to a number shows the problem of that number."""

from __future__ import annotations

from functools import partial

from manyhands.simulator.fleet.virtual_fleet import MakePhone
from manyhands.simulator.miniwob.pages import PAGE_WIDTH, WORLD_SCRIPT, html_folder, problem_url
from manyhands.simulator.web.access import PageAccess
from manyhands.simulator.web.browser import WebBrowser
from manyhands.simulator.web.fleet import web_phones
from manyhands.simulator.web.screen import DP


def miniwob_phones(width: int, height: int) -> tuple[MakePhone, WebBrowser]:
    """Return a maker of phones whose width a page fills, and their browser. Raises BadInput without MiniWoB."""
    folder = html_folder()
    browser = WebBrowser(PageAccess((folder,)), WORLD_SCRIPT)
    return web_phones(browser, partial(problem_url, folder), width, height, DP * width // PAGE_WIDTH), browser
