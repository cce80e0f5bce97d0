"""``manyhands perceive``: read texts and icons off screenshots in files."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.perception.labels import LabelledScreen, read_labels
from manyhands.evaluation.perception.report import ScreenReading, report_on
from manyhands.evaluation.provenance import this_machine
from manyhands.protocol.errors import BadInput
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.deploy.perception.reader import PictureRead, PictureReader


@dataclass(frozen=True, slots=True)
class PaperModel:
    """Describe a model of the papers. ``docs/perception.md`` has the same table."""

    model: str
    purpose: str
    """The use of the model, and the profiles whose papers use the model."""
    ours: str
    """What does the model's work here in every profile, even with ``paper_exact``."""
    stand_in: str
    settings: str
    """The settings that choose the stand-in, as in a file of ``--config``."""
    environment: str
    """The environment in which the stand-in runs, and how to install it."""


PAPER_MODELS = (
    PaperModel(
        model="ModelScope's OCR",
        purpose="texts; v1, v2, e",
        ours="RapidOCR's PP-OCR networks",
        stand_in="PaddleOCR from two model folders",
        settings="perception: {text_engine: paddle, paddle: {det_model_dir: DIR, rec_model_dir: DIR}}",
        environment="an environment of its own, manyhands[fleet,paddle]",
    ),
    PaperModel(
        model="GroundingDINO",
        purpose="places of icons; v1, v2, e",
        ours="our detector and edges",
        stand_in="Grounding DINO from a folder, by transformers",
        settings="perception: {icon_finder: detector, icon_engine: grounding_dino, grounding_dino: {folder: DIR}}",
        environment="an environment of its own, manyhands[fleet,grounding_dino]",
    ),
    PaperModel(
        model="Qwen-VL captions",
        purpose="what icons show; v2, e",
        ours="our network's names; with paper_exact a served model's",
        stand_in="any Qwen-VL that you serve",
        settings="episode: {captions: true, caption_all: true}",
        environment="the model server, in runs",
    ),
    PaperModel(
        model="CLIP",
        purpose="the icon that is described; v1",
        ours="names, labels, colour and place",
        stand_in="CLIP from a folder, exported to ONNX",
        settings="perception: {clip: {folder: DIR}}",
        environment="the environment of the run, manyhands[fleet]",
    ),
)


EXAMPLE = (
    "Example: manyhands perceive shots/ --draw drawn/. Exit codes: 0 all were read, 1 some could not be read or drawn, "
    "2 bad input. docs/perception.md describes the JSON and the figures."
)


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Hold where a drawing was written, or why it could not be; neither if none was wanted."""

    path: Path | None = None
    error: str | None = None


def command(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE...", help="Screenshots, or folders of them.", show_default=False),
    ] = None,
    draw: Annotated[
        Path | None, typer.Option("--draw", help="Write each picture with the boxes of what was read into this folder.")
    ] = None,
    score: Annotated[
        Path | None,
        typer.Option("--score", help="A label file: say how well its pictures were read, instead of what they hold."),
    ] = None,
    jpeg: Annotated[
        bool,
        typer.Option("--jpeg", help="Read them as they come from a gateway elsewhere: after JPEG (docs/edge.md)."),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, max=64, help="Pictures at a time (1); each one more takes 200 MB."),
    ] = None,
    backends: Annotated[
        bool,
        typer.Option(
            "--backends",
            "--backend",
            help="Say which engines can stand in for the papers' models, how they are set and where they run; "
            "read nothing.",
        ),
    ] = False,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Read texts and icons off screenshots (PNG, JPEG, WebP, GIF, BMP), and say where they are.

    One reader reads each picture in full, with the engines of the setting "perception". With --score and no FILE, it
    reads the pictures of the label file.

    Every profile uses our own OCR and icon detection, even with --paper-exact. PaddleOCR, Grounding DINO and CLIP can
    take their place, from folders of yours: see --backends.
    """
    from manyhands.deploy.perception.drawing import prepare_drawings
    from manyhands.deploy.perception.reader import PictureReader, find_pictures

    if backends:
        _tell_backends(as_json)
        return
    settings = load_settings({"perception_threads": workers}, config)
    labels = read_labels(score) if score else ()
    if files:
        pictures = find_pictures(files)
    elif score:
        pictures = [score.parent / label.file for label in labels]
        if not any(path.exists() for path in pictures):
            raise BadInput(f"--score {score}: none of its pictures is there ({pictures[0]}, ...)")
    else:
        raise BadInput("name screenshots or folders of them, or a label file with --score")
    if score:
        labels, pictures = _labelled(labels, pictures, score)
    drawings = prepare_drawings(draw, pictures) if draw else {}
    perception = settings.perception_settings(settings.perception_threads or 1)
    carry_out(lambda: _read(pictures, labels, drawings, PictureReader(perception, jpeg), as_json), as_json)


def _tell_backends(as_json: bool) -> None:
    """Print the papers' models and what can stand in for them."""
    if as_json:
        say_json({"backends": [asdict(model) for model in PAPER_MODELS]})
        return
    console = text_console()
    for model in PAPER_MODELS:
        console.print(f"{model.model}: {model.purpose}", markup=False, soft_wrap=True, style="bold")
        lines = {
            "ours": model.ours,
            "stand-in": model.stand_in,
            "settings": model.settings,
            "runs in": model.environment,
        }
        for name, value in lines.items():
            console.print(f"  {name:<9} {value}", markup=False, soft_wrap=True)
    console.print(
        "Folders are yours, nothing is downloaded; docs/perception.md says how each is set up.", soft_wrap=True
    )


def _labelled(
    labels: Sequence[LabelledScreen], pictures: Sequence[Path], score: Path
) -> tuple[tuple[LabelledScreen, ...], list[Path]]:
    """Return the labels that have a picture, and their pictures in the same order. Match by path, else by file name."""
    by_path = {path.resolve(): path for path in pictures}
    by_name = {path.name: path for path in pictures}
    paths: dict[LabelledScreen, Path] = {}
    for label in labels:
        named = score.parent / label.file
        path = by_path.get(named.resolve()) or by_name.get(named.name)
        if path is not None:
            paths[label] = path
    if not paths:
        raise BadInput(
            f"--score {score}: none of these pictures is labelled there, but {labels[0].file} and others are"
        )
    return tuple(paths), list(paths.values())


# ---------------------------------------------------------------------------- reading
async def _read(
    pictures: Sequence[Path],
    labels: Sequence[LabelledScreen],
    drawings: Mapping[Path, Path],
    reader: PictureReader,
    as_json: bool,
) -> int:
    """Read pictures, draw what was read, and score it if there are labels. Return the exit code."""
    from manyhands.deploy.perception.reader import peak_memory_mb
    from manyhands.deploy.perception.scores import tell_report

    machine = this_machine()
    progress, console = text_console(stderr=True), text_console()
    images: list[dict[str, Any]] = []
    scored: list[ScreenReading] = []
    failed = False
    async with reader, aclosing(reader.read_all(pictures)) as readings:
        async for read in readings:
            progress.print(f"{len(images) + 1} of {len(pictures)}: {read.path}", markup=False, soft_wrap=True)
            drawing = await _draw(read, drawings.get(read.path))
            failed = failed or read.error is not None or drawing.error is not None
            images.append(_as_json(read, drawing))
            if labels:
                scored.append(_scored(labels[len(scored)], read))
                failed = failed or scored[-1].error is not None
            if not as_json:
                _tell(console, read, drawing, with_elements=not labels)
    memory_mb = peak_memory_mb()
    report = report_on(labels, scored, memory_mb) if labels else None
    if as_json:
        say_json(
            {
                "images": images,
                "memory_mb": memory_mb,
                "settings": reader.settings.model_dump(mode="json"),
                "machine": machine.model_dump(mode="json"),
                "score": report.model_dump(mode="json") if report else None,
            }
        )
    elif report is not None:
        tell_report(console, report, machine)
    return EXIT_FAILED if failed else 0


async def _draw(read: PictureRead, path: Path | None) -> _Drawing:
    from manyhands.deploy.perception.drawing import draw_elements

    if path is None or read.rgb is None or read.screen is None:
        return _Drawing()
    try:
        await asyncio.to_thread(draw_elements, read.rgb, read.screen.elements, path)
    except BadInput as error:
        return _Drawing(error=str(error))
    return _Drawing(path)


def _scored(label: LabelledScreen, read: PictureRead) -> ScreenReading:
    """Return a reading to score.

    A picture of another size than its label says gets an error: the label is not its own.
    """
    if read.screen is None:
        return ScreenReading(error=str(read.error))
    size = read.screen.size
    if (size.width, size.height) != (label.width, label.height):
        reason = f"{read.path} is {size.width}x{size.height}, its label says {label.width}x{label.height}"
        return ScreenReading(error=reason)
    return ScreenReading(elements=read.screen.elements, timings_ms=read.timings_ms, cpu_ms=read.cpu_ms)


# ---------------------------------------------------------------------------- output
def _as_json(read: PictureRead, drawing: _Drawing) -> dict[str, Any]:
    if read.screen is None:
        code = read.error.code if read.error else "error"
        return {"file": str(read.path), "elements": [], "error": str(read.error), "code": code}
    beside = {"content_id", "size", "elements", "timings_ms", "cached", "read_share"}
    return {
        "file": str(read.path),
        "size": [read.screen.size.width, read.screen.size.height],
        "elements": [_element(element) for element in read.screen.elements],
        **read.screen.model_dump(mode="json", exclude=beside),
        "timings_ms": read.timings_ms,
        "seconds": sum(read.timings_ms.values()) / 1000,
        "cpu_seconds": None if read.cpu_ms is None else read.cpu_ms / 1000,
        "drawing": None if drawing.path is None else str(drawing.path),
        "drawing_error": drawing.error,
        "error": None,
    }


def _element(element: Element) -> dict[str, Any]:
    """Return an element as JSON: ``content`` for a text, ``name`` for an icon."""
    is_text = element.kind == "text"
    return {
        "kind": element.kind,
        "content": element.content if is_text else "",
        "name": None if is_text else element.content or None,
        "box": _corners(element.box),
        "confidence": element.confidence,
        "words": [{"content": word.content, "box": _corners(word.box)} for word in element.words],
    }


def _corners(box: Box) -> list[int]:
    return [box.x1, box.y1, box.x2, box.y2]


def _tell(console: Console, read: PictureRead, drawing: _Drawing, *, with_elements: bool) -> None:
    for error in (read.error, drawing.error):
        if error is not None:
            text_console(stderr=True).print(f"error: {error}", markup=False, soft_wrap=True)
    if read.screen is None or not with_elements:
        return
    screen = read.screen
    stages = ", ".join(f"{stage} {ms:.0f}" for stage, ms in read.timings_ms.items() if ms >= 0.5)
    console.print(
        f"{read.path}: {screen.size.width}x{screen.size.height}, {count_noun(len(screen.elements), 'element')}, "
        f"keyboard {screen.keyboard}, {sum(read.timings_ms.values()):.0f} ms ({stages})",
        markup=False,
        soft_wrap=True,
    )
    rows = [_row(number, element) for number, element in enumerate(map(_element, screen.elements), 1)]
    console.print(table(None, ("no.", "kind", "content", "name", "box", "confidence"), rows))
    if drawing.path is not None:
        console.print(f"Drawing: {drawing.path}", markup=False, soft_wrap=True)
    console.print()


def _row(number: int, element: dict[str, Any]) -> tuple[str, ...]:
    box = ",".join(map(str, element["box"]))
    return (
        str(number),
        element["kind"],
        element["content"],
        element["name"] or "",
        box,
        f"{element['confidence']:.2f}",
    )
