"""Make web phones of one browser by a start page and what else their pages may load."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from manyhands.protocol.errors import BadInput
from manyhands.simulator.fleet.virtual_fleet import DEFAULT_DENSITY, DEFAULT_SIZE, MakePhone
from manyhands.simulator.web.access import NETWORK, PageAccess
from manyhands.simulator.web.browser import WebBrowser
from manyhands.simulator.web.phone import StartUrl, WebPhone

_HOST = re.compile(r"[A-Za-z0-9.-]+")


def page_url(page: str) -> str:
    """Return the address of a page that is given as an address, a file, or a folder with ``index.html``.

    Raises BadInput for a file that is missing and for another scheme.
    """
    parts = urlsplit(page)
    if parts.scheme in ("http", "https") and parts.hostname:
        return page
    if parts.scheme not in ("", "file"):
        raise BadInput(f"--web {page}: write http(s)://HOST/PATH, a file, or a folder with index.html")
    path = Path(url2pathname(parts.path)).resolve()
    if path.is_dir():
        path /= "index.html"
    if not path.is_file():
        raise BadInput(f"--web {page}: there is no file {path}")
    suffix = "".join((f"?{parts.query}" if parts.query else "", f"#{parts.fragment}" if parts.fragment else ""))
    return path.as_uri() + suffix


def page_access(url: str, allowed: Iterable[str] = ()) -> PageAccess:
    """Return what pages may load: the start page's folder or host, and the allowed folders and hosts. Raises BadInput.

    An allowed name with a ``/`` is a folder; any other is a host.
    """
    parts = urlsplit(url)
    folders = [Path(url2pathname(parts.path)).parent] if parts.scheme == "file" else []
    hosts = {parts.hostname} if parts.scheme in NETWORK and parts.hostname else set()
    for name in allowed:
        if "/" in name:
            folder = Path(name).resolve()
            if not folder.is_dir():
                raise BadInput(f"--web-allow {name}: there is no such folder")
            folders.append(folder)
        elif _HOST.fullmatch(name):
            hosts.add(name.lower())
        else:
            raise BadInput(f"--web-allow {name}: write a host's name, or a folder with a / in it")
    return PageAccess(tuple(folders), frozenset(hosts))


def web_phones(browser: WebBrowser, url: StartUrl, width: int, height: int, density: int | None = None) -> MakePhone:
    """Return a maker of web phones of one size. Unless ``density`` is given, it follows from the width."""
    dpi = density or max(80, round(DEFAULT_DENSITY * width / DEFAULT_SIZE[0]))
    return lambda seed: WebPhone(browser, url, seed, width, height, dpi)
