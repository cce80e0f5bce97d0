"""Make the film of an episode: an animated GIF, or an MP4 where ffmpeg is.

Each frame shows a screen with the action on it, above the goal, thought and verdict.
"""

from __future__ import annotations

import io
import logging
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from manyhands.evaluation.episode_view import EpisodePage, StepView
from manyhands.evaluation.markup import DAMAGED_PNG
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import BadInput, StoreError, store_error
from manyhands.protocol.screens.actions import Type, points_of
from manyhands.protocol.screens.screen import Screenshot
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.terminal_text import show_controls

WIDTH = 400
"""Of a frame, and of the screen in it, in pixels; even, as encoders need."""
MARGIN, PANEL = 14, 236
TALLEST = 900
STEP_S, LAST_S = 1.8, 3.5
"""How long a step, and the end, are shown."""
INK, FAINT, PAPER, RING, HALO = "#1c2128", "#66707b", "#ffffff", "#e0245e", "#ffffff"
VERDICTS = {
    Outcome.A: ("as expected", "#18794e"),
    Outcome.B: ("a wrong page", "#b42318"),
    Outcome.C: ("nothing changed", "#9a6700"),
}
_WORD = re.compile(r"[⺀-鿿　-〿＀-￯가-힣]|[^\s⺀-鿿　-〿＀-￯가-힣]+\s*|\s+")
"""A word with the blanks behind it; Chinese, Japanese and Korean break after any character."""
_FONTS = ("NotoSansCJK-Regular.ttc", "NotoSansSC-Regular.otf", "PingFang.ttc", "msyh.ttc", "DejaVuSans.ttf")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FilmFrame:
    """Hold a picture, and how long it is shown."""

    picture: Image.Image
    seconds: float


def draw_frames(run: RunFolder, view: EpisodePage) -> Iterator[FilmFrame]:
    """Yield the frames of an episode: one for each step with a screen, and one for its end."""
    steps = [step for step in view.steps if step.screenshot is not None]
    height = max((_height(step.screenshot) for step in steps if step.screenshot), default=WIDTH)
    height += height % 2
    for step in steps:
        yield FilmFrame(_draw_step(run, view, step, height), STEP_S)
    yield FilmFrame(_draw_end(run, view, steps, height), LAST_S)


def _draw_step(run: RunFolder, view: EpisodePage, step: StepView, height: int) -> Image.Image:
    frame, draw = _blank(run, step.screenshot, height)
    if step.screenshot is not None:
        _draw_action(draw, step, _shown_width(step.screenshot) / step.screenshot.size.width)
    y = _write(draw, height + MARGIN, view.started.task.goal, FAINT, 13, 2)
    y = _write(draw, y + 4, f"Step {step.number}: {step.action or 'no action'}", INK, 16, 2)
    if step.decision and step.decision.thought:
        y = _write(draw, y + 2, step.decision.thought, FAINT, 13, 3)
    problem = step.problem or (step.decision.problem if step.decision else None)
    if step.reflection is not None:
        words, colour = VERDICTS[step.reflection.outcome]
        _write(draw, y + 4, f"{words}. {step.reflection.error}" if step.reflection.error else words, colour, 14, 3)
    elif problem:
        _write(draw, y + 4, problem, VERDICTS[Outcome.B][1], 14, 3)
    return frame


def _draw_end(run: RunFolder, view: EpisodePage, steps: Sequence[StepView], height: int) -> Image.Image:
    ended = view.ended
    frame, draw = _blank(run, steps[-1].screenshot if steps else None, height)
    y = _write(draw, height + MARGIN, view.started.task.goal, FAINT, 13, 3)
    if ended is None:
        _write(draw, y + 4, "The journal has no end.", VERDICTS[Outcome.C][1], 16, 1)
        return frame
    y = _write(draw, y + 4, f"{ended.ending.value.replace('_', ' ')}: {ended.explanation}", INK, 16, 3)
    if ended.verified is not None and ended.explanation == ended.reason:  # otherwise the check is told already
        words = "The check holds." if ended.verified else "The check does not hold."
        unmet = "" if ended.verified else f" {'; '.join(map(str, ended.unmet))}"
        _write(draw, y + 4, words + unmet, VERDICTS[Outcome.A if ended.verified else Outcome.B][1], 14, 4)
    return frame


def _blank(run: RunFolder, shot: Screenshot | None, height: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """Return a frame with the screen at its top."""
    frame = Image.new("RGB", (WIDTH, height + PANEL), PAPER)
    draw = ImageDraw.Draw(frame)
    picture = None if shot is None else _screen(run, shot)
    if picture is not None:
        frame.paste(picture, ((WIDTH - picture.width) // 2, 0))
    else:
        draw.rectangle((0, 0, WIDTH, height), fill="#eceff3")
        draw.text((WIDTH / 2, height / 2), "no picture", fill=FAINT, font=_font(16), anchor="mm")
    return frame, draw


def _screen(run: RunFolder, shot: Screenshot) -> Image.Image | None:
    png = run.screen_png(shot.content_id)
    if png is None:
        return None
    try:
        with Image.open(io.BytesIO(png)) as picture:
            rgb = picture.convert("RGB")
        return rgb.resize((_shown_width(shot), _height(shot)), reducing_gap=2.0)
    except DAMAGED_PNG as error:
        _log.warning("%s: the film lacks screen %s, its PNG is damaged: %s", run.path, shot.content_id, error)
        return None


def _height(shot: Screenshot) -> int:
    return min(TALLEST, max(1, round(shot.size.height * WIDTH / shot.size.width)))


def _shown_width(shot: Screenshot) -> int:
    return max(1, round(shot.size.width * _height(shot) / shot.size.height))


def _draw_action(draw: ImageDraw.ImageDraw, step: StepView, scale: float) -> None:
    """Draw where an action touched the screen, and what it typed."""
    shot = step.screenshot
    left_edge = (WIDTH - (_shown_width(shot) if shot else WIDTH)) / 2
    for atom in step.atoms:
        points = [(left_edge + x * scale, y * scale) for x, y in points_of(atom)]
        for colour, extra in ((HALO, 3), (RING, 0)):
            if len(points) > 1:
                draw.line(points, fill=colour, width=5 + 2 * extra)
            for x, y in points[-1:]:
                draw.ellipse((x - 18, y - 18, x + 18, y + 18), outline=colour, width=4 + extra)
        if isinstance(atom, Type):
            bottom = _height(shot) if shot else WIDTH
            draw.rectangle((0, bottom - 40, WIDTH, bottom), fill=RING)
            line = _lines(draw, f"types: {atom.text}", _font(15), WIDTH - 2 * MARGIN, 1)[0]
            draw.text((MARGIN, bottom - 20), line, fill=PAPER, font=_font(15), anchor="lm")


def _write(draw: ImageDraw.ImageDraw, y: float, text: str, colour: str, size: int, most: int) -> float:
    """Write a text in at most ``most`` lines below ``y``. Return where the next text begins."""
    for line in _lines(draw, text, _font(size), WIDTH - 2 * MARGIN, most):
        draw.text((MARGIN, y), line, fill=colour, font=_font(size))
        y += size * 1.35
    return y


def _lines(draw: ImageDraw.ImageDraw, text: str, font: _Font, width: float, most: int) -> list[str]:
    """Break a text into lines. If it needs more lines, the last one ends with an ellipsis."""
    lines = [""]
    for word in _words(show_controls(" ".join(text[:2000].split()))):
        if draw.textlength(lines[-1] + word.rstrip(), font) <= width:
            lines[-1] += word
        elif len(lines) == most:
            while lines[-1] and draw.textlength(f"{lines[-1]}…", font) > width:
                lines[-1] = lines[-1][:-1]
            return [*lines[:-1], f"{lines[-1].rstrip()}…"]
        else:
            lines.append(word.lstrip())
    return lines


def _words(text: str) -> Iterator[str]:
    """Yield the parts of a text between which a line may break; a very long word may break, too."""
    for match in _WORD.finditer(text):
        word = match[0]
        yield from (word[at : at + 24] for at in range(0, len(word), 24))


_Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@cache
def _font(size: int) -> _Font:
    """Return a font with Latin and Chinese letters, if there is one on this machine."""
    bundled = resources.files("manyhands").joinpath("simulator", "phone", "fonts", "NotoSansSC-Regular.otf")
    for name in (str(bundled), *_FONTS):
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


COLOURS = 128
RATE = 5
"""Frames a second of an MP4."""
MP4_TIMEOUT_S = 600


def write_gif(frames: Iterable[FilmFrame], out: Path) -> None:
    """Write a GIF that is played again and again. Raises StoreError."""
    durations: list[int] = []

    def pictures() -> Iterable[Image.Image]:
        for frame in frames:
            durations.append(round(frame.seconds * 1000))
            yield frame.picture.quantize(COLOURS)

    first, *rest = pictures()
    part = secure_files.part_path(out)
    try:
        with secure_files.open_to_write(part) as file:
            first.save(file, "GIF", save_all=True, append_images=rest, duration=durations, loop=0, optimize=True)
        part.replace(out)
    except OSError as error:
        raise store_error(error, f"{out} cannot be written") from error
    finally:
        part.unlink(missing_ok=True)


def write_mp4(frames: Iterable[FilmFrame], out: Path, ffmpeg: str = "ffmpeg") -> None:
    """Write an MP4 with H.264. Raises BadInput if there is no ffmpeg, and StoreError if it fails."""
    program = shutil.which(ffmpeg)
    if program is None:
        raise BadInput(f"--mp4 {out}: {ffmpeg} is missing; install it, or write a GIF with --gif")
    iterator = iter(frames)
    first = next(iterator)
    width, height = first.picture.size
    part = secure_files.part_path(out)
    command = [program, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    command += ["-r", str(RATE), "-i", "-", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart"]
    command += ["-f", "mp4", str(part)]
    try:
        secure_files.make_file(part)
        with tempfile.TemporaryFile() as raw:
            for frame in chain((first,), iterator):
                raw.write(frame.picture.tobytes() * round(frame.seconds * RATE))
            raw.seek(0)
            process = subprocess.run(command, stdin=raw, capture_output=True, timeout=MP4_TIMEOUT_S, check=False)
        if process.returncode:
            errors = process.stderr.decode("utf-8", "replace").strip().splitlines()
            raise StoreError(f"{out} cannot be written: ffmpeg said: {errors[-1] if errors else process.returncode}")
        part.replace(out)
    except subprocess.TimeoutExpired as error:
        raise StoreError(f"{out} cannot be written: ffmpeg took more than {MP4_TIMEOUT_S} s") from error
    except OSError as error:
        raise store_error(error, f"{out} cannot be written") from error
    finally:
        part.unlink(missing_ok=True)
