"""A report, opened from the disk in a page of the browser."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import ConsoleMessage, Locator

from tests.web.console_page import ConsolePage

_PRESS_AT_FIRST_SIGHT = """
new MutationObserver((changes, observer) => {{
  if (!document.querySelector({selector})) return;
  observer.disconnect();
  dispatchEvent(new KeyboardEvent("keydown", {{ key: {key} }}));
}}).observe(document, {{ childList: true, subtree: true }});
"""


class ReportPage(ConsolePage):
    """A page that shows a report. It may ask for files of the report's folder alone."""

    may_lack_parts = False
    """Whether the browser may complain that a file of the report is missing."""
    may_ask_beside = False
    """Whether the page may ask for any file of the disk, and not for those of its folder alone."""

    def go(self, service: str, place: str = "") -> None:
        """Open a place of a report, such as ``/?tab=cost``. ``service``: the address of the report's folder."""
        self._host = "file://" if self.may_ask_beside else service
        self.page.goto(f"{service}/report.html#{place}")
        self.page.locator("main h1, .empty").first.wait_for(state="attached")

    def press_at_first_sight(self, selector: str, key: str) -> None:
        """Press a key in the next page as soon as it has such an element, before the browser has drawn it."""
        script = _PRESS_AT_FIRST_SIGHT.format(selector=json.dumps(selector), key=json.dumps(key))
        self.page.add_init_script(script)

    @property
    def place(self) -> str:
        """Return the part of the address that says what a person chose."""
        return str(self.page.evaluate("decodeURIComponent(location.hash)"))

    def _says(self, message: ConsoleMessage) -> None:
        if not (self.may_lack_parts and "net::ERR_FILE_NOT_FOUND" in message.text):
            super()._says(message)

    @property
    def rows(self) -> Locator:
        """Return the rows of the tasks that are drawn."""
        return self.page.locator(".run-tasks tbody tr:not(.table-spacer)")

    def shown_tasks(self) -> list[str]:
        """Return the ids of the tasks that are drawn, from top to bottom."""
        return self.page.locator(".run-tasks .task-about > .mono").all_inner_texts()


def address_of(folder: Path) -> str:
    """Return the address of a folder without the slash at its end."""
    return folder.as_uri()
