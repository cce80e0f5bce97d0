"""Find what an action names by words: a text, or an icon by what it looks like and where it is."""

from __future__ import annotations

from manyhands.actors.episode.atoms import ActionUnusable
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.seams import Handle
from manyhands.protocol.actions import ClickIcon, ClickText, Tap
from manyhands.protocol.locating import LocateQuery
from manyhands.protocol.screens import Screenshot


def query_of(action: ClickText | ClickIcon) -> LocateQuery:
    """Return what is looked for."""
    if isinstance(action, ClickText):
        return LocateQuery(kind="text", words=action.text)
    return LocateQuery(kind="icon", words=action.icon, position=action.position)


def not_there(query: LocateQuery) -> str:
    """Say that it is not on the screen."""
    what = f"the text {query.words!r}" if query.kind == "text" else f"an icon like {query.words!r}"
    where = "" if query.position is None else f" at the {query.position}"
    return f"{what} is not on the screen{where}"


async def tap_on(context: StageContext, action: ClickText | ClickIcon, screenshot: Screenshot, frame: Handle) -> Tap:
    """Return the tap on what an action of a shortcut names, on the screen that is there now.

    Raises ActionUnusable where it is not there, or a text stands there several times: nobody asks which is meant.
    Raises PerceptionError, CallError.
    """
    query, locator = query_of(action), context.episode.collaborators.finder()
    timed = await context.call(lambda call: locator.locate(screenshot, frame, query, call))
    matches = timed.value.matches
    if not matches:
        raise ActionUnusable(not_there(query))
    if query.kind == "text" and len(matches) > 1:
        raise ActionUnusable(f"the text {query.words!r} stands on the screen {len(matches)} times")
    x, y = matches[0].element.centre
    return Tap(x=x, y=y)
