"""Say whether the next of several actions of one reply may still be sent.

The model chose all of them on s(t). So each of them needs that the present screen is as the model could know it: the
action before had an effect, the same app is in front, the keyboard is up for a text, and what a tap means is still at
its place. The first doubt drops the rest, and the model is asked again. No model is asked between two actions.
"""

from __future__ import annotations

from manyhands.actors.episode.recent_pictures import CapturedScreen
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages import verdicts
from manyhands.actors.episode.stages.atomic_actions import in_these_words
from manyhands.actors.memory import ShortcutAction
from manyhands.actors.touch_target import find_nearest
from manyhands.protocol.screens.actions import AtomicAction, ClickText, Enter, Tap, Type
from manyhands.protocol.screens.screen import LocateQuery, Screenshot

LEADING = (Tap, ClickText, Type)
"""The actions after which a model can know the screen."""
_MOVED = 0.01
"""How far an element may have moved, as a share of the screen's longer side."""


async def find_doubt(
    context: StageContext,
    last: AtomicAction,
    following: ShortcutAction,
    before: Screenshot | None,
    after: CapturedScreen,
) -> str | None:
    """Return why ``following`` must not be sent after ``last``; None if no rule objects.

    ``before`` and ``after``: the screens around ``last``. ``before`` is None if it is not known. Raises
    PerceptionError, CallError.
    """
    settings, shown = context.runtime.settings, after.screenshot
    if not isinstance(last, LEADING) or not isinstance(following, (*LEADING, Enter)):
        return f"nobody can know the screen between {last.name} and {following.name}."
    if before is None or None in (before.app, shown.app):
        return "the screen in between is not known."
    if before.app != shown.app:
        return f"another app is in front now: {shown.app}."
    if isinstance(following, Type | Enter) and shown.keyboard != "shown":
        return "the keyboard is not shown, as far as the phone tells."
    if isinstance(last, Tap) and isinstance(following, Type) and _is_as_before(before, shown):
        return "nothing shows that the tap has moved to another field."
    at = context.state.step(context.step)
    surprise = verdicts.surprise(last, following, at, before, shown, settings.cheap_verdicts)
    if surprise is not None:
        return surprise
    if isinstance(last, Tap) and isinstance(following, Tap | ClickText) and await _has_dialog(context, after):
        return "a dialog lies over the page."
    return await _find_move(context, following, after) if isinstance(following, Tap) else None


def _is_as_before(before: Screenshot, shown: Screenshot) -> bool:
    """Return whether a field may have had the focus before, and the same one may have it still."""
    return before.keyboard == "shown" and shown.shows_as(before) and before.caret == shown.caret


async def _has_dialog(context: StageContext, present: CapturedScreen) -> bool:
    perception, screenshot, frame = context.runtime.collaborators.perception, present.screenshot, present.picture.frame
    timed = await context.call(lambda call: perception.perceive(screenshot, frame, call))
    return timed.value.dialog is not None


async def _find_move(context: StageContext, tap: Tap, present: CapturedScreen) -> str | None:
    """Return a message unless what the tap was to touch on s(t) is still there, once and at its place."""
    screen = context.state.step(context.step).screen
    texts = [] if screen is None else [one for one in screen.elements if one.kind == "text" and one.content.strip()]
    element = find_nearest(tap.x, tap.y, texts, present.screenshot.size)
    if element is None:
        return "no text that has been read tells what the next tap is to touch."
    query, locator = LocateQuery(kind="text", words=element.content), context.runtime.collaborators.finder()
    timed = await context.call(lambda call: locator.locate(present.screenshot, present.picture.frame, query, call))
    centres = [match.element.centre for match in in_these_words(timed.value.matches)]
    most = _MOVED * max(present.screenshot.size.width, present.screenshot.size.height)
    near = [(x, y) for x, y in centres if max(abs(x - element.centre[0]), abs(y - element.centre[1])) <= most]
    return None if len(centres) == len(near) == 1 else f"{element.content!r} is not where it was."
