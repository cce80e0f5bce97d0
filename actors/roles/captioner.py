"""The captioner: names for icons that have none, asked of a model once for the whole fleet.

The papers ask a model for each icon of each screen (Mobile-Agent-v2, section 3.2: icon description). Here one request
shows all icons of a screen that were never seen, and none is sent where all were.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Sequence

from pydantic import Field

from manyhands.actors.frames import Frame, Rgb
from manyhands.actors.mllm import Prompt
from manyhands.actors.perception.appearance import Looks, looks_of, nearest
from manyhands.actors.roles.base import ModelRole, Question, RoleSettings
from manyhands.actors.roles.captions import CaptionMemory, different
from manyhands.actors.roles.contact_sheet import contact_sheet
from manyhands.protocol.base import Input
from manyhands.protocol.errors import CallError, ModelError, Overloaded
from manyhands.protocol.geometry import Box
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles import MOST_CAPTIONS, CaptionReply, Captions, Role
from manyhands.protocol.screens import Screen

_log = logging.getLogger(__name__)
_UNKNOWN = frozenset({"", "unknown", "none", "n/a", "icon", "unclear"})


class CaptionSettings(Input):
    """``asked``: the model and its prompts."""

    asked: RoleSettings
    remembered: int = Field(default=4096, ge=1, le=65536)
    """Captions that are kept; 2 kB each."""
    screens: int = Field(default=32, ge=1, le=1024)
    """Screens that are looked at a time, 10 to 30 ms of CPU each; one more is refused as Overloaded."""
    deadline_s: float = Field(default=60.0, gt=0)
    """How long a request may take, whoever waits for it."""
    at_once: int = Field(default=2, ge=1, le=64)
    """Requests under way; icons beyond that are asked for when a later screen shows them."""
    pause_s: float = Field(default=30.0, ge=0)
    """How long no request is sent after one that failed or named no icon."""


class _Asking:
    """Hold a request under way."""

    def __init__(self, looks: Looks, task: asyncio.Task[None]) -> None:
        self.looks = looks
        self.task = task


class Captioner(ModelRole):
    """Keeps captions by the looks of icons, and no state of any episode. Implements ``actors.seams.Captioner``."""

    role = Role.CAPTION

    def __init__(self, settings: CaptionSettings) -> None:
        super().__init__(settings.asked)
        self._limits = settings
        self._memory = CaptionMemory(settings.remembered)
        self._asking: list[_Asking] = []
        self._looking = 0
        self._not_before = 0.0

    async def stop(self) -> None:
        """End the requests under way, then close the client."""
        tasks = [asking.task for asking in self._asking]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await super().stop()

    async def caption(self, screen: Screen, frame: Frame, route: str, wait_s: float, context: CallContext) -> Screen:
        """Return ``screen`` with captions that are known, or come within ``wait_s``, as content of icons without one.

        Captions that come later serve later screens. ``frame``: the screen's pixels; ``route``: the phone's serial. A
        model that fails is logged and costs nothing but captions. Raises CaptureFailed for a damaged frame, Overloaded.
        """
        places = [place for place, one in enumerate(screen.elements) if one.kind == "icon" and not one.content]
        boxes = [screen.elements[place].box for place in places]
        if not boxes:
            return screen
        rgb, looks = await self._look(frame, boxes)
        known = self._memory.find(looks)
        waiting = self._ask_for(rgb, boxes, looks, known, route, context)
        patience = min(wait_s, context.deadline - time.time())
        if waiting and patience > 0:
            await asyncio.wait(waiting, timeout=patience)
            known = self._memory.find(looks)
        elements = list(screen.elements)
        for place, caption in zip(places, known, strict=True):
            if caption:
                elements[place] = elements[place].model_copy(update={"content": caption})
        return screen.model_copy(update={"elements": tuple(elements)})

    async def _look(self, frame: Frame, boxes: Sequence[Box]) -> tuple[Rgb, Looks]:
        """Look at icons in a thread, which is counted until it ends, also where its caller has gone."""
        if self._looking >= self._limits.screens:
            raise Overloaded(f"the captioner already looks at {self._looking} screens; ask it about later ones")
        looking = asyncio.get_running_loop().run_in_executor(None, _look, frame, boxes)
        self._looking += 1
        looking.add_done_callback(self._looked)
        return await asyncio.shield(looking)

    def _looked(self, done: asyncio.Future[tuple[Rgb, Looks]]) -> None:
        self._looking -= 1
        if not done.cancelled():
            done.exception()  # whoever still waits gets it; it is no defect if nobody does

    def _ask_for(
        self,
        rgb: Rgb,
        boxes: Sequence[Box],
        looks: Looks,
        known: Sequence[str | None],
        route: str,
        context: CallContext,
    ) -> list[asyncio.Task[None]]:
        """Return the requests that will name unknown icons; for those in no request yet, begin one."""
        open_ones = [number for number, caption in enumerate(known) if caption is None]
        waiting = []
        for asking in self._asking:
            same = nearest(looks[open_ones], asking.looks)[1]
            if same.any():
                waiting.append(asking.task)
            open_ones = [number for number, asked in zip(open_ones, same, strict=True) if not asked]
        new = [open_ones[number] for number in different(looks[open_ones])]
        while new and len(self._asking) < self._limits.at_once and time.monotonic() >= self._not_before:
            batch, new = new[:MOST_CAPTIONS], new[MOST_CAPTIONS:]
            waiting.append(self._begin(rgb, [boxes[number] for number in batch], looks[batch], route, context))
        return waiting

    def _begin(
        self, rgb: Rgb, boxes: Sequence[Box], looks: Looks, route: str, context: CallContext
    ) -> asyncio.Task[None]:
        own = context.model_copy(update={"deadline": time.time() + self._limits.deadline_s, "speculative": False})
        task = asyncio.create_task(self._request(rgb, boxes, looks, route, own))
        asking = _Asking(looks, task)
        self._asking.append(asking)
        task.add_done_callback(lambda _: self._asking.remove(asking))
        return task

    async def _request(self, rgb: Rgb, boxes: Sequence[Box], looks: Looks, route: str, context: CallContext) -> None:
        sheet = await asyncio.to_thread(contact_sheet, rgb, boxes)
        question = Question(
            # It shares nothing with the prompts of a step.
            prompt=Prompt("", (sheet, self._prompts.text("caption", {"count": str(len(boxes))}))),
            reply=CaptionReply,
            read=lambda reply: (Captions(names=read_captions(reply, len(boxes))), None),
        )
        try:
            answered = await self.ask(question, route, context)
        except (ModelError, CallError) as error:
            self._pause(error, len(boxes))
            return
        if self._memory.add(looks, answered.value.names) == 0:
            self._pause("the reply names none of them", len(boxes))

    def _pause(self, why: object, icons: int) -> None:
        self._not_before = time.monotonic() + self._limits.pause_s
        _log.warning("%d icons got no captions: %s", icons, why)


def read_captions(reply: CaptionReply, count: int) -> tuple[str | None, ...]:
    """Return one caption for each of ``count`` icons, on one line.

    Empty: the model does not know the icon. None: it left the icon out, or gave its number twice.
    """
    given = Counter(icon.number for icon in reply.icons)
    names: list[str | None] = [None] * count
    for icon in reply.icons:
        if 1 <= icon.number <= count and given[icon.number] == 1:
            name = " ".join(icon.name.split()).strip(" .").casefold()
            names[icon.number - 1] = "" if name in _UNKNOWN else name
    return tuple(names)


def _look(frame: Frame, boxes: Sequence[Box]) -> tuple[Rgb, Looks]:
    rgb = frame.rgb()
    return rgb, looks_of(rgb, boxes)
