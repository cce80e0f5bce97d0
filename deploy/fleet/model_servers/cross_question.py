"""Ask a model where a drawn cross is, before the first task: does it see pictures, and write its dialect's points?"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from manyhands.actors.frames import RED, ModelImage, content_id, encode_jpeg
from manyhands.actors.mllm import Dialect, ModelSettings, Prompt, dialect_named
from manyhands.actors.mllm.client.answers import read_completion
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.probe import probe_context
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import recorded_body, wire_body, without_priority
from manyhands.actors.mllm.request.dialects import DIALECTS
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from manyhands.protocol.screens.geometry import Size

Point = tuple[int, int]
_SMALL, _LARGE = Size(width=720, height=1600), Size(width=1080, height=2400)
ENOUGH = 2
"""How many crosses a model must find. A small model may miss one."""
TOLERANCE = 0.05
"""How far off an answer may be, as a share of each side. A model that sees the cross errs far less."""
_GROUND = 224
_ARM, _STROKE = 40, 12
_NUMBERS = re.compile(r'"x"\s*:\s*(-?\d{1,6})(?![\d.]).*?"y"\s*:\s*(-?\d{1,6})(?![\d.])', re.DOTALL)


class CrossReply(Reply):
    """Hold where a model sees the cross, in the model's space of coordinates."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Cross:
    """Hold where a cross is drawn, as shares of width and height, and the size of its picture."""

    x: float
    y: float
    picture: Size

    def place(self, extent: Size) -> Point:
        """Return the place of the cross, if the picture's coordinates run to ``extent``."""
        return round(self.x * extent.width), round(self.y * extent.height)


CROSSES = (Cross(0.22, 0.18, _SMALL), Cross(0.71, 0.55, _LARGE), Cross(0.35, 0.84, _SMALL))
"""The crosses that a model is asked about. Pixels at one size of a picture may look like 0 to 1000; at both, they do
not."""


@dataclass(frozen=True, slots=True)
class CrossJudgement:
    """Judge the answers: whether they are right, and what they show."""

    right: bool
    description: str
    dialect: str | None = None
    """The other dialect that the answers fit; None if there is none."""


def _draw_cross(cross: Cross) -> ModelImage:
    """Return a picture with one red cross."""
    pixels = np.full((cross.picture.height, cross.picture.width, 3), _GROUND, np.uint8)
    x, y = cross.place(cross.picture)
    cv2.line(pixels, (x - _ARM, y), (x + _ARM, y), RED, _STROKE)
    cv2.line(pixels, (x, y - _ARM), (x, y + _ARM), RED, _STROKE)
    return ModelImage(content_id=content_id(pixels), jpeg=encode_jpeg(pixels))


def cross_prompt(cross: Cross, dialect: Dialect) -> Prompt:
    """Return the question for one cross."""
    question = (
        f"The picture shows one red cross on a grey ground. Where is its centre? {dialect.explanation} "
        'Answer with JSON alone: {"x": ..., "y": ...}'
    )
    return Prompt(system="You look at pictures and tell places.", content=(_draw_cross(cross), question))


def read_point(text: str) -> Point | None:
    """Return the first point in an answer; None if it holds none. Other text around the point does not matter."""
    match = _NUMBERS.search(text)
    return None if match is None else (int(match[1]), int(match[2]))


def judge_crosses(points: Sequence[Point | None], dialect: Dialect) -> CrossJudgement:
    """Judge the answers about CROSSES, in this order. The questions asked for the dialect's space."""
    hits = _hits(points, dialect)
    if hits >= ENOUGH:
        return CrossJudgement(True, f"{hits} of {len(CROSSES)} drawn crosses were found in the space of {dialect.name}")
    others = {name: _hits(points, other) for name, other in _others(dialect).items()}
    best = max(others, key=lambda name: others[name], default=None)
    answers = ", ".join("no point" if point is None else f"({point[0]}, {point[1]})" for point in points)
    if best is not None and others[best] >= ENOUGH:
        reason = f"the answers {answers} do not fit {dialect.name}; they are in the space of {best}"
        return CrossJudgement(False, reason, best)
    expected = ", ".join("({}, {})".format(*cross.place(dialect.extent(cross.picture))) for cross in CROSSES)
    return CrossJudgement(False, f"crosses at {expected} were seen at {answers}")


def _hits(points: Sequence[Point | None], dialect: Dialect) -> int:
    return sum(
        point is not None and _is_hit(point, cross, dialect.extent(cross.picture))
        for point, cross in zip(points, CROSSES, strict=True)
    )


def _is_hit(point: Point, cross: Cross, extent: Size) -> bool:
    x, y = point[0] / extent.width, point[1] / extent.height
    return abs(x - cross.x) <= TOLERANCE and abs(y - cross.y) <= TOLERANCE


def _others(dialect: Dialect) -> Mapping[str, Dialect]:
    """Return dialects whose space differs from that of ``dialect``, one for each such space, under the same cap."""
    spaces: dict[tuple[Size, ...], Dialect] = {}
    for other in DIALECTS.values():
        capped = other if other.full is not None else other.capped(min(dialect.max_pixels, other.max_pixels))
        if _extents(capped) != _extents(dialect):
            spaces.setdefault(_extents(capped), capped)
    return {one.name: one for one in spaces.values()}


def _extents(dialect: Dialect) -> tuple[Size, ...]:
    return tuple(dialect.extent(cross.picture) for cross in CROSSES)


_TIMEOUT_S = 30.0
_LONGEST = 64
"""The longest answer, in tokens."""
_log = logging.getLogger(__name__)


async def try_crosses(settings: ModelSettings) -> None:
    """Ask every server of a model. The settings must name the model and its dialect.

    Raises BadInput if the answers are right in another space of coordinates: every tap would miss. Answers that fit no
    space, and servers that do not answer now, are only logged: a model may be small, or have random weights.
    """
    dialect = dialect_named(settings.dialect, settings.max_pixels)
    prompts = await asyncio.to_thread(lambda: [cross_prompt(cross, dialect) for cross in CROSSES])
    transport = Transport(settings)
    transport.open()
    try:
        async with asyncio.TaskGroup() as group:
            tasks_by_url = {
                url: [group.create_task(_ask(transport, settings, url, prompt)) for prompt in prompts]
                for url in settings.urls
            }
    finally:
        await transport.close()
    for url, tasks in tasks_by_url.items():
        judged = judge_crosses([task.result() for task in tasks], dialect)
        if judged.dialect is not None:
            raise BadInput(
                f"{url} writes other coordinates than --dialect {dialect.name} says: {judged.description}; say "
                f"--dialect {judged.dialect}, or correct --max-pixels"
            )
        if not judged.right:
            _log.warning("%s: its coordinates could not be checked: %s", url, judged.description)


async def _ask(transport: Transport, settings: ModelSettings, url: str, prompt: Prompt) -> Point | None:
    """Return where a server sees a cross; None if it does not say, or does not answer."""
    context = probe_context(_TIMEOUT_S)
    body = {**recorded_body(settings, Role.DECIDE, CrossReply, prompt), "max_tokens": _LONGEST}
    images = {image.content_id: image.jpeg for image in prompt.images}
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            answer = await transport.post(url, wire_body(without_priority(body), images), context)
            return read_point(read_completion(url, answer).text)
    except (RequestFailed, TimeoutError) as error:
        _log.info("%s: a question about a cross has no answer: %s", url, error)
        return None
