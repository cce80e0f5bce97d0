"""Ask a model where things are on screens, and whether its server enforces a schema."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from manyhands.actors.mllm import Dialect, ModelSettings, Prompt
from manyhands.actors.mllm.client.answers import read_completion
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import recorded_body, wire_body, without_priority
from manyhands.actors.mllm.request.dialects import OutsideScreen, to_pixel
from manyhands.benchmarks.model.click_targets import ClickTarget
from manyhands.deploy.doctor.model_server import SchemaReply
from manyhands.deploy.fleet.model_servers.cross_question import (
    CROSSES,
    CrossReply,
    cross_prompt,
    judge_crosses,
    read_point,
)
from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message, Reply
from manyhands.protocol.messages import CallContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.usage import Percentiles
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

AT_ONCE = 8
SCHEMA_QUESTIONS = 8
LONGEST_ANSWER = 256
"""The longest answer, in tokens. A model that thinks first gets no further."""

ClickFate = Literal["hit", "miss", "outside", "no_point", "failed"]
"""Where a click would land: in the box, beside it, outside the screen; or no point was read, or no answer came."""


class ClickAnswer(Message):
    """Hold what became of one question."""

    screen: str
    target: str
    kind: Literal["text", "icon"]
    box: tuple[float, float, float, float]
    fate: ClickFate
    point: tuple[int, int] | None = None
    """Where the click would land, in pixels."""
    off_share: float | None = None
    """The distance from the box's centre, as a share of the screen's diagonal."""
    error: str = ""


class ClickFigures(Message):
    """Count where clicks would land."""

    labels: str
    """Where the screens and the places on them come from."""
    targets: int
    """How many targets there were to ask about."""
    asked: int
    fates: dict[ClickFate, int]
    asked_of_kind: dict[str, int]
    hits_of_kind: dict[str, int]
    off_share: Percentiles | None
    """The distances from the centres, as shares of the diagonal, of clicks on the screen."""
    space: str
    """What drawn crosses show about the space of coordinates."""
    answers: tuple[ClickAnswer, ...]

    @property
    def hit_share(self) -> float | None:
        """Return the share of hits in all questions; None without questions."""
        return self.fates.get("hit", 0) / self.asked if self.asked else None


class SchemaFigures(Message):
    """Count answers to a question whose schema asks for something else than its words."""

    asked: int
    obeyed: int
    failed: int
    broken: tuple[str, ...]
    """The beginnings of answers that do not fit the schema."""


class Questioner:
    """Ask the servers of one model short questions, several at a time."""

    def __init__(self, settings: ModelSettings, transport: Transport, dialect: Dialect, timeout_s: float) -> None:
        """The settings must name the model, and ``transport`` must be open."""
        self._settings = settings
        self._transport = transport
        self._dialect = dialect
        self._timeout_s = timeout_s
        self._places = asyncio.Semaphore(AT_ONCE)
        self.clicks: list[ClickAnswer] = []
        """The answers so far, in any order."""

    async def ask_clicks(self, targets: Sequence[ClickTarget]) -> None:
        """Ask about all targets. A cancellation keeps the answers so far."""
        async with asyncio.TaskGroup() as group:
            for number, target in enumerate(targets):
                group.create_task(self._ask_click(number, target))

    async def ask_schemas(self) -> SchemaFigures:
        """Ask for a greeting, under a schema for something else."""
        prompt = Prompt(system="You are friendly.", content=("Write one friendly English sentence.",))
        answers = await asyncio.gather(*(self._try(number, prompt, SchemaReply) for number in range(SCHEMA_QUESTIONS)))
        texts = [answer for answer in answers if answer is not None]
        broken = [text for text in texts if not _fits(text)]
        return SchemaFigures(
            asked=len(answers),
            obeyed=len(texts) - len(broken),
            failed=len(answers) - len(texts),
            broken=tuple(dict.fromkeys(" ".join(text.split())[:80] for text in broken)),
        )

    async def judge_space(self) -> str:
        """Return in which space of coordinates the model tells where drawn crosses are."""
        prompts = await asyncio.to_thread(lambda: [cross_prompt(cross, self._dialect) for cross in CROSSES])
        answers = await asyncio.gather(*(self._try(0, prompt, CrossReply) for prompt in prompts))
        points = [None if answer is None else read_point(answer) for answer in answers]
        return judge_crosses(points, self._dialect).description

    async def _try(self, number: int, prompt: Prompt, reply: type[Reply]) -> str | None:
        """Return the answer's text; None if there is none."""
        try:
            return await self._ask(number, prompt, reply)
        except (RequestFailed, TimeoutError):
            return None

    async def _ask_click(self, number: int, target: ClickTarget) -> None:
        try:
            answer = await self._ask(number, click_prompt(target, self._dialect), CrossReply)
        except (RequestFailed, TimeoutError) as error:
            why = str(error) or f"no answer within {self._timeout_s:g} s"
            self.clicks.append(_answer(target, "failed", error=why))
            return
        self.clicks.append(judge_click(target, answer, self._dialect))

    async def _ask(self, number: int, prompt: Prompt, reply: type[Reply]) -> str:
        """Return the answer's text. Raises RequestFailed, TimeoutError."""
        async with self._places:
            return await self._post(number, prompt, reply)

    async def _post(self, number: int, prompt: Prompt, reply: type[Reply]) -> str:
        url = self._settings.urls[number % len(self._settings.urls)]
        context = CallContext(episode="bench", step=0, deadline=HOST_CLOCK.now() + self._timeout_s)
        body = {**recorded_body(self._settings, Role.DECIDE, reply, prompt), "max_tokens": LONGEST_ANSWER}
        images = {image.content_id: image.jpeg for image in prompt.images}
        content = await asyncio.to_thread(wire_body, without_priority(body), images)
        async with asyncio.timeout(self._timeout_s):
            return read_completion(url, await self._transport.post(url, content, context)).text


def click_figures(labels: str, targets: int, space: str, answers: Sequence[ClickAnswer]) -> ClickFigures:
    """Return the figures of the answers so far. ``labels``: where the targets come from."""
    hits = [answer for answer in answers if answer.fate == "hit"]
    return ClickFigures(
        labels=labels,
        targets=targets,
        asked=len(answers),
        fates=dict(Counter(answer.fate for answer in answers)),
        asked_of_kind=dict(Counter(answer.kind for answer in answers)),
        hits_of_kind=dict(Counter(answer.kind for answer in hits)),
        off_share=percentiles([answer.off_share for answer in answers if answer.off_share is not None]),
        space=space,
        answers=tuple(sorted(answers, key=lambda answer: (answer.screen, answer.target))),
    )


def click_prompt(target: ClickTarget, dialect: Dialect) -> Prompt:
    """Return the question about one target."""
    question = (
        f"The picture shows the screen of a phone. Where would you tap on {target.description}? {dialect.explanation} "
        'Answer with JSON alone: {"x": ..., "y": ...}'
    )
    return Prompt(system="You look at pictures and tell places.", content=(target.screen.image, question))


def judge_click(target: ClickTarget, text: str, dialect: Dialect) -> ClickAnswer:
    """Return where the click of an answer would land."""
    point = read_point(text)
    if point is None:
        return _answer(target, "no_point", error=" ".join(text.split())[:80])
    try:
        x, y = to_pixel(dialect, *point, target.screen.size)
    except OutsideScreen as error:
        return _answer(target, "outside", error=str(error))
    box = target.box
    is_hit = box.x1 <= x <= box.x2 and box.y1 <= y <= box.y2
    diagonal = math.hypot(target.screen.size.width, target.screen.size.height)
    off = math.dist((x, y), box.centre) / diagonal
    return _answer(target, "hit" if is_hit else "miss", (x, y), off)


def _answer(
    target: ClickTarget,
    fate: ClickFate,
    point: tuple[int, int] | None = None,
    off_share: float | None = None,
    error: str = "",
) -> ClickAnswer:
    return ClickAnswer(
        screen=target.screen.name,
        target=target.name,
        kind=target.kind,
        box=tuple(target.box),
        fate=fate,
        point=point,
        off_share=off_share,
        error=error,
    )


def _fits(text: str) -> bool:
    try:
        SchemaReply.model_validate_json(text)
    except ValueError:
        return False
    return True
