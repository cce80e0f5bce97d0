"""Renders pages in headless Chromium and reads their labels off the DOM."""

from __future__ import annotations

import base64
import mimetypes
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Error, Playwright, Route
from playwright.sync_api import Page as Tab

from manyhands.protocol.errors import BadInput, ManyhandsError
from training.screens import photos
from training.screens.grammar import Page
from training.screens.kits import HERE, MODULES, Kit
from training.screens.labels import Shot

HOST = "http://screens.invalid"
"""All requests are answered from this machine's files; nothing is asked of a network."""


PLAIN_CONTROLS = {".mh-toggle": "toggle", ".mh-radio": "radio", ".mh-checkbox": "checkbox"}
"""Controls of plain.jinja."""


class RenderError(ManyhandsError):
    """Signal a page of a kit that could not be shown, with the browser's error."""

    code = "render"


class Browser:
    """Holds one Chromium with a tab for each look of each kit, which loads the kit once and shows many pages."""

    def __init__(self, playwright: Playwright, executable: str, picture: str) -> None:
        if not Path(executable).exists():
            raise BadInput(
                f"{executable} is missing: apt-get install chromium on Debian and Ubuntu, or name it with --chromium"
            )
        self._chromium = playwright.chromium.launch(
            executable_path=executable, args=["--hide-scrollbars", "--font-render-hinting=none", "--disable-gpu"]
        )
        self._context = self._chromium.new_context()
        self._context.route("**/*", self._answer)
        self._format = {"format": picture} | ({"quality": 92} if picture == "jpeg" else {})
        self._tabs: dict[tuple[str, str, bool], tuple[Tab, CDPSession]] = {}
        self._hosts: dict[str, str] = {}

    def close(self) -> None:
        self._chromium.close()

    def shoot(self, page: Page) -> Shot:
        """Render a page and collect its labels. Raises RenderError."""
        try:
            tab, session = self._tab(page.kit, page.variant, page.dark)
            tab.bring_to_front()  # a tab in the background draws no frames
            phone = page.phone
            session.send(
                "Emulation.setDeviceMetricsOverride",
                {"width": phone.width, "height": phone.height, "deviceScaleFactor": phone.density, "mobile": False},
            )
            tab.evaluate("spec => window.show(spec)", _spec(page))
            found = tab.evaluate(
                "spec => window.collect(spec)",
                {
                    "controls": PLAIN_CONTROLS | page.kit.controls,
                    "glyphs": dict(page.kit.glyphs),
                    "ignore": list(page.kit.ignore),
                    "kit": page.kit.name,
                },
            )
            shot = session.send("Page.captureScreenshot", {**self._format, "optimizeForSpeed": True})
        except Error as error:
            raise RenderError(f"page {page.number} of {page.kit.name} ({page.variant}): {error}") from error
        return Shot(base64.b64decode(shot["data"]), found)

    def _tab(self, kit: Kit, variant: str, dark: bool) -> tuple[Tab, CDPSession]:
        key = (kit.name, variant, dark and bool(kit.dark_styles))
        if key not in self._tabs:
            tab = self._context.new_page()
            name = "-".join(map(str, key))
            self._hosts[f"/host/{name}"] = _document(kit, key[2])
            query = kit.variants[variant].get("query", "")
            tab.goto(f"{HOST}/host/{name}?{query}", wait_until="load")
            self._tabs[key] = tab, self._context.new_cdp_session(tab)
        return self._tabs[key]

    def _answer(self, route: Route) -> None:
        address = route.request.url
        path = address.removeprefix(HOST).split("?")[0]
        if not address.startswith(HOST):
            route.abort()
        elif path in self._hosts:
            route.fulfill(body=self._hosts[path], content_type="text/html; charset=utf-8")
        elif path.startswith(("/photo/", "/code/")):
            draw = photos.photo if path.startswith("/photo/") else photos.code
            route.fulfill(
                body=draw(int(Path(path).stem)), content_type="image/jpeg", headers={"cache-control": "max-age=3600"}
            )
        else:
            file = (HERE if path.startswith("/own/") else MODULES) / path.removeprefix("/own/").lstrip("/")
            if file.is_file():
                route.fulfill(path=file, content_type=mimetypes.guess_type(file.name)[0] or "application/octet-stream")
            else:
                route.fulfill(status=404, body="")


def _document(kit: Kit, dark: bool) -> str:
    styles = [*kit.styles[: 1 if dark and kit.dark_styles else None], *(kit.dark_styles if dark else ())]
    links = [f'<link rel="stylesheet" href="/{file}">' for file in styles] + [
        '<link rel="stylesheet" href="/own/page.css">'
    ]
    scripts = [f'<script src="/{file}"></script>' for file in kit.scripts]
    scripts += [f'<script type="module" src="/{file}"></script>' for file in kit.modules]
    own = "".join(f'<script src="/own/{name}"></script>' for name in ("host.js", "collect.js"))
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
    return f"<!doctype html><html><head>{head}{''.join(links)}</head><body>{''.join(scripts)}{own}</body></html>"


def _spec(page: Page) -> dict[str, Any]:
    look = page.kit.variants[page.variant]
    root = {"class": str(look["dark" if page.dark else "light"]), "lang": page.language}
    root |= look.get("dark_attributes", {}) if page.dark else {}
    if page.kit.name == "ionic":
        root["mode"] = page.variant
    return {
        "restyle": page.kit.restyle.get("dark" if page.dark else "light", ""),
        "mount": page.kit.mount,
        "library": page.kit.library,
        "markup": page.markup,
        "before": page.before,
        "after": page.after,
        "glyphs": page.glyphs,
        "root": root,
        "theme": "dark" if page.dark else "light",
        "scroll": page.scroll,
        "full": page.full,
        "style": f"--mh-font:{page.font};background:{page.back}",
    }
