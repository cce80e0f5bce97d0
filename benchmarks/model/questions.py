"""Ask a model where texts and icons are on screens whose places are known, and whether its server enforces a schema."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from manyhands.actors.frames import ModelImage, Rgb, content_id, decode_jpeg, decode_png, encode_jpeg
from manyhands.actors.mllm import Dialect, ModelSettings, Prompt
from manyhands.actors.mllm.client.answers import read_completion
from manyhands.actors.mllm.client.errors import RequestFailed
from manyhands.actors.mllm.client.probe import probe_context
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import recorded_body, wire_body, without_priority
from manyhands.actors.mllm.request.dialects import OutsideScreen, to_pixel
from manyhands.benchmarks.model.recording import PromptRecording
from manyhands.deploy.doctor.model_server import SchemaReply
from manyhands.deploy.fleet.model_servers.cross_question import (
    CROSSES,
    CrossReply,
    cross_prompt,
    judge_crosses,
    read_point,
)
from manyhands.evaluation.perception.labels import LabelledScreen, Rect, read_labels, rect_of
from manyhands.evaluation.timing import percentiles
from manyhands.protocol.base import Message, Reply
from manyhands.protocol.errors import BadInput, CaptureFailed
from manyhands.protocol.journals.records import ScreenCaptured
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.run_summary import Percentiles
from manyhands.protocol.screens.geometry import Size

TargetKind = Literal["text", "icon"]
MOST_OF_SCREEN = 8
"""The most targets on one screen, so that a crowded screen does not outweigh the others."""
SHORTEST_TEXT = 2
LEAST_SIDE = 12.0
"""Boxes of fewer pixels on a side are left out: a finger cannot hit them."""


@dataclass(frozen=True, slots=True)
class TargetScreen:
    """Hold a screen on which targets lie."""

    name: str
    image: ModelImage
    size: Size


@dataclass(frozen=True, slots=True)
class ClickTarget:
    """Hold one thing to click."""

    screen: TargetScreen
    kind: TargetKind
    name: str
    box: Rect

    @property
    def description(self) -> str:
        """Return the target in words, for a question."""
        return f'the text "{self.name}"' if self.kind == "text" else f"the icon: {self.name}"


def labelled_targets(path: Path, most: int) -> tuple[ClickTarget, ...]:
    """Return targets of a file of labelled screens. Blocks. Raises BadInput.

    Minor labels are left out, and names that occur more than once on their screen.
    """
    return _choose((_of_screen(path.parent, screen) for screen in read_labels(path)), most)


def recorded_targets(recordings: Sequence[PromptRecording], most: int) -> tuple[ClickTarget, ...]:
    """Return texts that perception has read on recorded screens. Blocks. They are as right as that reading."""
    targets_by_screen: dict[str, list[ClickTarget]] = {}
    for recording in recordings:
        screens = _screens_of_steps(recording)
        for call in recording.calls:
            texts = [element for element in call.known.elements if element.kind == "text"]
            screen_id = screens.get((call.episode, call.step))
            png = (
                recording.folder.screen_png(screen_id)
                if texts and screen_id is not None and screen_id not in targets_by_screen
                else None
            )
            if screen_id is not None and png is not None:
                screen = _screen(screen_id, decode_png(png))
                targets_by_screen[screen_id] = list(
                    _unique([ClickTarget(screen, "text", one.content, rect_of(one.box)) for one in texts])
                )
    return _choose(targets_by_screen.values(), most)


def _screens_of_steps(recording: PromptRecording) -> dict[tuple[str, int], str]:
    """Return the content id of the screenshot of each step of each episode."""
    return {
        (episode, record.step): record.screenshot.content_id
        for episode, scan in recording.folder.journals.items()
        for record in scan.records
        if isinstance(record, ScreenCaptured)
    }


def _of_screen(folder: Path, labelled: LabelledScreen) -> list[ClickTarget]:
    path = folder / labelled.file
    try:
        data = path.read_bytes()
        rgb = decode_jpeg(data) if data.startswith(b"\xff\xd8") else decode_png(data)
    except OSError as error:
        raise BadInput(f"--screens: {path}: {error.strerror or error}") from error
    except CaptureFailed as error:
        raise BadInput(f"--screens: {path}: {error}") from error
    height, width = rgb.shape[:2]
    if (width, height) != (labelled.width, labelled.height):
        raise BadInput(
            f"--screens: {path}: has {width} x {height} pixels, labelled {labelled.width} x {labelled.height}"
        )
    screen = _screen(labelled.file, rgb)
    texts = [ClickTarget(screen, "text", one.text, one.box) for one in labelled.texts if not one.minor]
    icons = [ClickTarget(screen, "icon", one.name, one.box) for one in labelled.icons if not one.minor]
    return list(_unique([*texts, *icons]))


def _screen(name: str, rgb: Rgb) -> TargetScreen:
    image = ModelImage(content_id=content_id(rgb), jpeg=encode_jpeg(rgb))
    return TargetScreen(name, image, Size(width=rgb.shape[1], height=rgb.shape[0]))


def _unique(targets: Sequence[ClickTarget]) -> Iterator[ClickTarget]:
    """Yield the targets that can be meant only once on their screen, and that a finger can hit."""
    names = Counter(target.name.casefold() for target in targets)
    for target in targets:
        is_large = min(target.box.x2 - target.box.x1, target.box.y2 - target.box.y1) >= LEAST_SIDE
        if names[target.name.casefold()] == 1 and len(target.name.strip()) >= SHORTEST_TEXT and is_large:
            yield target


def _choose(screens: Iterable[Sequence[ClickTarget]], most: int) -> tuple[ClickTarget, ...]:
    """Return ``most`` targets at most, the same ones each time: screens in turn, so that each has some."""
    draw = random.Random(0)
    by_screen = [draw.sample(list(targets), min(len(targets), MOST_OF_SCREEN)) for targets in screens]
    in_turn = [targets[number] for number in range(MOST_OF_SCREEN) for targets in by_screen if number < len(targets)]
    return tuple(in_turn[:most])


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
        context = probe_context(self._timeout_s)
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
