"""Read the views of the window in front, from ``uiautomator dump``, for the elements of a screen.

Android waits until the window has been idle for a moment. A window that keeps moving gives no views.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from manyhands.actors.phones.adb.screens.view_tree import View, parse_views
from manyhands.actors.phones.adb.state.answers import Ask, quote_answer
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.screens.views import ViewInfo

LONGEST_S = 12
"""A dump that hangs is ended on the phone after so many seconds, because no other can run beside it. Android itself
waits for an idle window for at most 10."""
_FILE = "/data/local/tmp/manyhands_views.xml"
_LIMIT = f"$(which timeout > /dev/null && echo timeout {LONGEST_S})"
"""Android has ``timeout`` from version 8 on."""
VIEWS_LINE = f"rm -f {_FILE}; {_LIMIT} uiautomator dump --compressed {_FILE} > /dev/null; cat {_FILE}; rm -f {_FILE}"
"""Prints the views without those that only arrange others. Changes nothing on the phone."""


async def read_views(ask: Ask) -> tuple[ViewInfo, ...]:
    """Return the views, each before what it holds. The text of a password field is left out.

    Raises StateUnavailable, PhoneLost.
    """
    answer = await ask(VIEWS_LINE)
    try:
        outermost = parse_views(answer.stdout)
    except StateUnavailable as error:
        raise StateUnavailable(f"{error}; it answered: {quote_answer(answer)}") from error
    return tuple(_flatten(outermost, 0))


def _flatten(views: Iterable[View], depth: int) -> Iterator[ViewInfo]:
    for view in views:
        yield ViewInfo(
            depth=depth,
            kind=view.kind,
            text="" if view.password else view.text,
            description=view.description,
            bounds=view.bounds,
            clickable=view.clickable,
            checkable=view.checkable,
            checked=view.checked,
            enabled=view.enabled,
            focused=view.focused,
            scrollable=view.scrollable,
            password=view.password,
        )
        yield from _flatten(view.views, depth + 1)
