"""capture(t) where a page is black in its picture: the phone's views serve, else a person is asked.

A page that forbids pictures stays black, so no wait helps. Where the agent is shown elements, the phone's views tell
them. Where they tell nothing, or the agent sees pictures alone, a person is asked: at once if the phone says that the
page forbids pictures, else at the second black screen in a row.
"""

from __future__ import annotations

from functools import partial

from manyhands.actors.episode.profile import ACT, CAPTURE, Stage
from manyhands.actors.episode.schedule import StageNeed
from manyhands.actors.episode.stage_context import StageContext
from manyhands.actors.episode.stages.perceive import capture
from manyhands.actors.episode.stages.person_question import ask_person
from manyhands.protocol.base import Ending
from manyhands.protocol.errors import ScreenHidden
from manyhands.protocol.journals.records import Record, ScreenCaptured
from manyhands.protocol.screens.screen import Screenshot

QUESTION = (
    "The page in front is black in its picture, as it forbids pictures, and the phone does not tell what is on it. "
    "Take the phone over, and hand it back where pictures show something."
)
NOBODY_MAY = "in this run no person may be asked"


async def capture_readable(context: StageContext, shows_elements: bool) -> tuple[Record, ...]:
    """Return the screenshot of ``capture``, once something can be read off it or a person has answered.

    ``shows_elements``: whether the agent is shown what the phone's views tell. Raises ScreenHidden if the page forbids
    pictures and nobody helps, and the errors of ``capture``.
    """
    records = await capture(context)
    screenshots = [record.screenshot for record in records if isinstance(record, ScreenCaptured)]
    if not any([await _is_hidden(context, screenshot, shows_elements) for screenshot in screenshots]):
        return records
    may_ask = context.runtime.settings.person_wait_s > 0
    problem = await ask_person(context, QUESTION) if may_ask else NOBODY_MAY
    if problem is None:
        return await capture(context)
    if any(screenshot.is_secure for screenshot in screenshots):
        raise ScreenHidden(f"the page forbids pictures, and the phone does not tell what is on it: {problem}")
    return records


async def _is_hidden(context: StageContext, screenshot: Screenshot, shows_elements: bool) -> bool:
    """Return whether nothing can be read off a page, and waiting does not help."""
    if not screenshot.is_black:
        return False
    runtime = context.runtime
    if shows_elements:
        reading = await context.call(lambda call: runtime.views.read(runtime.lease, screenshot, call))
        if reading.value.tree is not None:
            return False
    before = context.state.step(context.step - 1).screenshot
    return screenshot.is_secure or (before is not None and before.is_black)


def capture_stage(shows_elements: bool) -> Stage:
    """Return the stage ``capture`` of a profile. ``shows_elements``: whether its agent is shown elements."""
    return Stage(
        CAPTURE,
        (StageNeed(ACT, -1),),
        turn=-1,
        run=partial(capture_readable, shows_elements=shows_elements),
        deadline_s=30.0,
        failures=((ScreenHidden, Ending.NEEDS_PERSON),),
    )


CAPTURE_STAGE = capture_stage(shows_elements=True)
