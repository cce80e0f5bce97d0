"""Name icons that have no caption. A model is asked about each icon once for the whole fleet.

The papers ask a model for each icon of each screen (Mobile-Agent-v2, section 3.2: icon description). Here one request
shows all icons of a screen that are not known yet, numbered on one picture: it takes a quarter of the tokens that one
picture for each icon would take. If all are known, no request is sent.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Sequence

import cv2
import numpy as np
from pydantic import Field

from manyhands.actors.frames import Frame, ModelImage, Rgb, content_id, encode_jpeg
from manyhands.actors.mllm import Prompt
from manyhands.actors.perception.appearance import WIDTH, Looks, looks_of, nearest
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles.base import ModelRole, RoleQuestion, RoleSettings
from manyhands.protocol.base import Input
from manyhands.protocol.errors import CallError, ModelError, Overloaded
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.requests import Captions
from manyhands.protocol.roles.role import MOST_CAPTIONS, CaptionReply, Role
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Screen
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

_log = logging.getLogger(__name__)

CELL = 128
"""The side of a cell in pixels. A cell takes 16 tokens in Qwen3-VL; a picture takes at least 64."""
ICON = 96
COLUMNS = 6
MARGIN = 0.12
"""The margin shown around an icon, as a share of its sides."""
GROUND = 225
_UNKNOWN = frozenset({"", "unknown", "none", "n/a", "icon", "unclear"})


def contact_sheet(rgb: Rgb, boxes: Sequence[Box]) -> ModelImage:
    """Return the parts of a picture in ``boxes`` (at least one) as rows of ``COLUMNS``, numbered from 1.

    ``rgb``: uint8 (height, width, 3).
    """
    lines = -(-len(boxes) // COLUMNS)
    sheet = np.full((lines * CELL, COLUMNS * CELL, 3), GROUND, np.uint8)
    for number, box in enumerate(boxes):
        line, column = divmod(number, COLUMNS)
        cell = sheet[line * CELL : (line + 1) * CELL, column * CELL : (column + 1) * CELL]
        cell[-1], cell[:, -1] = 150, 150
        cv2.putText(cell, str(number + 1), (3, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.55, (0, 0, 0), 1, cv2.LINE_AA)
        scaled = _scale(rgb, box)
        top, left = 26 + (ICON - scaled.shape[0]) // 2, 26 + (ICON - scaled.shape[1]) // 2
        cell[top : top + scaled.shape[0], left : left + scaled.shape[1]] = scaled
    return ModelImage(content_id=content_id(sheet), jpeg=encode_jpeg(sheet))


def _scale(rgb: Rgb, box: Box) -> Rgb:
    across, down = round(MARGIN * box.width), round(MARGIN * box.height)
    part = rgb[max(box.y1 - down, 0) : box.y2 + down, max(box.x1 - across, 0) : box.x2 + across]
    scale = ICON / max(part.shape[:2])
    size = max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(np.ascontiguousarray(part), size, interpolation=way), np.uint8)


def read_captions(reply: CaptionReply, count: int) -> tuple[str | None, ...]:
    """Return one caption of one line for each of ``count`` icons.

    A caption is empty if the model does not know the icon. It is None if the reply left the icon out, or gave its
    number twice.
    """
    counts = Counter(icon.number for icon in reply.icons)
    names: list[str | None] = [None] * count
    for icon in reply.icons:
        if 1 <= icon.number <= count and counts[icon.number] == 1:
            name = " ".join(icon.name.split()).strip(" .").casefold()
            names[icon.number - 1] = "" if name in _UNKNOWN else name
    return tuple(names)


class CaptionSettings(Input):
    """Configure the captioner. ``role``: the model and its prompts."""

    role: RoleSettings
    remembered: int = Field(default=4096, ge=1, le=65536)
    """At most so many captions are kept; each takes 2 kB."""
    screens: int = Field(default=32, ge=1, le=1024)
    """At most so many screens are examined at a time; each takes 10 to 30 ms of CPU. More are refused with
    Overloaded."""
    deadline_s: float = Field(default=60.0, gt=0)
    """The deadline of a request, however long its callers wait."""
    at_once: int = Field(default=2, ge=1, le=64)
    """At most so many requests run at a time. Further icons are asked for when a later screen shows them."""
    pause_s: float = Field(default=30.0, ge=0)
    """After a request that failed or named no icon, no request is sent for so long."""


class CaptionCache:
    """Keep at most ``limit`` captions and drop the one that was unused for longest. Not safe for threads."""

    def __init__(self, limit: int) -> None:
        self._looks: Looks = np.zeros((limit, WIDTH), np.float32)
        self._captions: list[str] = []
        self._used = np.zeros(limit, np.int64)
        self._clock = 0

    def __len__(self) -> int:
        return len(self._captions)

    def find(self, looks: Looks) -> list[str | None]:
        """Return the caption of each icon in ``looks``: None if unseen, empty if the model did not know it."""
        index, same = nearest(looks, self._looks[: len(self)])
        self._clock += 1
        self._used[index[same]] = self._clock
        return [self._captions[at] if is_same else None for at, is_same in zip(index, same, strict=True)]

    def add(self, looks: Looks, captions: Sequence[str | None]) -> int:
        """Keep a caption for each icon in ``looks``, and return how many were kept.

        ``find`` must know none of the icons. A caption of None means that the reply left the icon out;
        such an icon stays unknown.
        """
        self._clock += 1
        count = 0
        for look, caption in zip(looks, captions, strict=True):
            if caption is None:
                continue
            count += 1
            if len(self) < len(self._looks):
                at = len(self)
                self._captions.append(caption)
            else:
                at = int(self._used.argmin())
                self._captions[at] = caption
            self._looks[at], self._used[at] = look, self._clock
        return count


class _CaptionRequest:
    """Hold a request that is running."""

    def __init__(self, looks: Looks, task: asyncio.Task[None]) -> None:
        self.looks = looks
        self.task = task


class IconCaptioner(ModelRole):
    """Name icons and keep their captions by the looks of the icons. Keep no state of any episode.

    Implements ``actors.interfaces.Captioner``.
    """

    role = Role.CAPTION

    def __init__(self, settings: CaptionSettings) -> None:
        super().__init__(settings.role)
        self._limits = settings
        self._cache = CaptionCache(settings.remembered)
        self._requests: list[_CaptionRequest] = []
        self._looking = 0
        self._not_before = 0.0

    async def stop(self) -> None:
        """Cancel the running requests, then close the client."""
        tasks = [request.task for request in self._requests]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await super().stop()

    async def caption(self, screen: Screen, frame: Frame, route: str, wait_s: float, context: CallContext) -> Screen:
        """Return ``screen`` with captions for its icons without content: known ones, and new ones within ``wait_s``.

        Captions that arrive later serve later screens. ``frame``: the screen's pixels. ``route``: the phone's serial.
        If the model fails, the failure is logged and the captions are missing. Raises CaptureFailed for a damaged
        frame, and Overloaded.
        """
        places = [place for place, one in enumerate(screen.elements) if one.kind == "icon" and not one.content]
        boxes = [screen.elements[place].box for place in places]
        if not boxes:
            return screen
        rgb, looks = await self._look(frame, boxes)
        captions = self._cache.find(looks)
        waiting = self._ask_for(rgb, boxes, looks, captions, route, context)
        patience = min(wait_s, context.deadline - HOST_CLOCK.now())
        if waiting and patience > 0:
            await asyncio.wait(waiting, timeout=patience)
            captions = self._cache.find(looks)
        elements = list(screen.elements)
        for place, caption in zip(places, captions, strict=True):
            if caption:
                elements[place] = elements[place].model_copy(update={"content": caption})
        return screen.model_copy(update={"elements": tuple(elements)})

    async def _look(self, frame: Frame, boxes: Sequence[Box]) -> tuple[Rgb, Looks]:
        """Examine icons in a thread. The thread counts as running until it ends, even if its caller was cancelled."""
        if self._looking >= self._limits.screens:
            raise Overloaded(f"the captioner already looks at {self._looking} screens; ask it about later ones")
        looking = asyncio.get_running_loop().run_in_executor(None, _look, frame, boxes)
        self._looking += 1
        looking.add_done_callback(self._looked)
        return await asyncio.shield(looking)

    def _looked(self, future: asyncio.Future[tuple[Rgb, Looks]]) -> None:
        self._looking -= 1
        if not future.cancelled():
            future.exception()  # marks the exception as retrieved: nobody may be waiting for it any more

    def _ask_for(
        self,
        rgb: Rgb,
        boxes: Sequence[Box],
        looks: Looks,
        captions: Sequence[str | None],
        route: str,
        context: CallContext,
    ) -> list[asyncio.Task[None]]:
        """Return the requests that will name unknown icons.

        For icons that are in no running request, start requests.
        """
        open_ones = [number for number, caption in enumerate(captions) if caption is None]
        waiting = []
        for request in self._requests:
            same = nearest(looks[open_ones], request.looks)[1]
            if same.any():
                waiting.append(request.task)
            open_ones = [number for number, is_asked in zip(open_ones, same, strict=True) if not is_asked]
        new = [open_ones[number] for number in first_of_each(looks[open_ones])]
        while new and len(self._requests) < self._limits.at_once and time.monotonic() >= self._not_before:
            batch, new = new[:MOST_CAPTIONS], new[MOST_CAPTIONS:]
            waiting.append(self._begin(rgb, [boxes[number] for number in batch], looks[batch], route, context))
        return waiting

    def _begin(
        self, rgb: Rgb, boxes: Sequence[Box], looks: Looks, route: str, context: CallContext
    ) -> asyncio.Task[None]:
        own = context.model_copy(update={"deadline": HOST_CLOCK.now() + self._limits.deadline_s, "speculative": False})
        task = asyncio.create_task(self._request(rgb, boxes, looks, route, own))
        asking = _CaptionRequest(looks, task)
        self._requests.append(asking)
        task.add_done_callback(lambda _: self._requests.remove(asking))
        return task

    async def _request(self, rgb: Rgb, boxes: Sequence[Box], looks: Looks, route: str, context: CallContext) -> None:
        sheet = await asyncio.to_thread(contact_sheet, rgb, boxes)
        question = RoleQuestion(
            prompt=caption_prompt(self._prompts, sheet, len(boxes)),
            reply=CaptionReply,
            read=lambda reply: (Captions(names=read_captions(reply, len(boxes))), None),
        )
        try:
            answered = await self.ask(question, route, context)
        except (ModelError, CallError) as error:
            self._pause(error, len(boxes))
            return
        if self._cache.add(looks, answered.value.names) == 0:
            self._pause("the reply names none of them", len(boxes))

    def _pause(self, why: object, icons: int) -> None:
        self._not_before = time.monotonic() + self._limits.pause_s
        _log.warning("%d icons got no captions: %s", icons, why)


def caption_prompt(prompts: Prompts, sheet: ModelImage, count: int) -> Prompt:
    """Return the question for the names of ``count`` icons. It has no part in common with the prompts of a step."""
    return Prompt("", (sheet, prompts.text("caption", {"count": str(count)})))


def first_of_each(looks: Looks) -> list[int]:
    """Return the index of the first of each distinct icon among ``looks``. Leave out icons without any content."""
    firsts: list[int] = []
    for number, look in enumerate(looks):
        if look.any() and not nearest(look[None], looks[firsts])[1][0]:
            firsts.append(number)
    return firsts


def _look(frame: Frame, boxes: Sequence[Box]) -> tuple[Rgb, Looks]:
    rgb = frame.rgb()
    return rgb, looks_of(rgb, boxes)
