"""Find picture files, and read screens from them through the perception service that runs use."""

from __future__ import annotations

import asyncio
import resource
import sys
import time
import warnings
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from manyhands.actors.frames import MAX_PIXELS, Frame, Rgb, content_id, decode_jpeg, encode_jpeg
from manyhands.actors.perception.page_cache import IncrementalSettings
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.protocol.errors import BadInput, CallError, ManyhandsError, PerceptionError
from manyhands.protocol.messages import CallContext
from manyhands.protocol.screens.geometry import LONGEST_SIDE, Size
from manyhands.protocol.screens.screen import Screen, Screenshot
from manyhands.protocol.utilities.host_clock import HOST_CLOCK

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""Formats that are decoded. Pillow knows more, but some of them start other programs."""
SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"})
"""Suffixes of pictures in a folder. A file that is named explicitly may have any suffix."""
_GREY_16 = frozenset({"I", "I;16", "I;16L", "I;16B", "I;16N"})
_PAPER = (255, 255, 255)
"""The colour behind transparent pixels."""
_OPAQUE = 255
STRIP = 256
"""Rows that are converted to RGB at a time."""


def find_pictures(paths: Iterable[Path]) -> list[Path]:
    """Return files as given and the pictures in folders, sorted by name, without subfolders; each once.

    Raises BadInput for a path that does not exist, and for a folder without pictures.
    """
    pictures: dict[Path, None] = {}
    for path in paths:
        pictures |= dict.fromkeys(_pictures_in(path) if path.is_dir() else [_existing(path)])
    return list(pictures)


def _pictures_in(folder: Path) -> list[Path]:
    try:
        pictures = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror or error}") from error
    if not pictures:
        raise BadInput(f"{folder}: no pictures in this folder ({', '.join(sorted(SUFFIXES))})")
    return pictures


def _existing(path: Path) -> Path:
    if not path.exists():
        raise BadInput(f"{path}: No such file or folder")
    return path


def read_picture(path: Path) -> Rgb:
    """Return the pixels of a picture file, uint8 (height, width, 3), upright. Blocks; call it on one thread at a time.

    It applies the EXIF orientation, turns transparency white, takes the first picture of an animation, and reduces 16
    bits to 8. It does not decode a picture whose header declares more than MAX_PIXELS. Raises BadInput.
    """
    try:
        with path.open("rb") as file, _quiet(), Image.open(file, formats=FORMATS) as image:
            _check_size(path, *image.size)
            return _pixels(image)
    except BadInput:
        raise
    except UnidentifiedImageError as error:
        empty = path.stat().st_size == 0
        reason = "the file is empty" if empty else "not a picture that can be read (PNG, JPEG, WebP, GIF or BMP)"
        raise BadInput(f"{path}: {reason}") from error
    except Image.DecompressionBombError as error:
        raise BadInput(f"{path}: more than {MAX_PIXELS / 1e6:.0f} megapixels") from error
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except Exception as error:  # decoders raise all kinds of errors for damaged files
        raise BadInput(f"{path}: damaged ({type(error).__name__}: {error})") from error


def _quiet() -> warnings.catch_warnings[None]:
    """Silence Pillow's warnings: this module checks sizes itself, and damaged metadata does not matter."""
    return warnings.catch_warnings(action="ignore")


def _check_size(path: Path, width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise BadInput(
            f"{path}: {width}x{height} is {width * height / 1e6:.0f} megapixels; "
            f"at most {MAX_PIXELS / 1e6:.0f} are read"
        )
    if max(width, height) > LONGEST_SIDE:
        raise BadInput(f"{path}: {width}x{height}; a side has at most {LONGEST_SIDE} pixels: cut the picture")


def _pixels(image: Image.Image) -> Rgb:
    """Convert in strips, because whole copies of the largest pictures would take 130 MB each."""
    image.load()
    ImageOps.exif_transpose(image, in_place=True)
    width, height = image.size
    rgb = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, STRIP):
        bottom = min(top + STRIP, height)
        rgb[top:bottom] = _strip(image.crop((0, top, width, bottom)))
    return rgb


def _strip(image: Image.Image) -> Rgb:
    if image.mode in _GREY_16:
        deep = np.clip(np.asarray(image), 0, 0xFFFF).astype(np.uint16)
        return np.repeat((deep >> 8).astype(np.uint8)[:, :, None], 3, axis=2)
    if image.has_transparency_data:
        image = image.convert("RGBA")
        if np.asarray(image.getchannel("A")).min() < _OPAQUE:
            image = Image.alpha_composite(Image.new("RGBA", image.size, _PAPER), image)
    return np.asarray(image.convert("RGB"))


PATIENCE_S = 600.0
"""Seconds that one picture may take; a screen takes about one on one core."""


@dataclass(frozen=True, slots=True)
class PictureRead:
    """Hold what was read from a file: either ``screen`` and ``rgb``, or ``error``."""

    path: Path
    rgb: Rgb | None = None
    """The pixels of the file, upright, to which the boxes refer."""
    screen: Screen | None = None
    timings_ms: dict[str, float] = field(default_factory=dict)
    """Wall time by stage, including the time to read and decode the file."""
    cpu_ms: float | None = None
    """CPU time of all threads of this process; None if pictures are read in parallel."""
    error: ManyhandsError | None = None


class PictureReader:
    """Read picture files with one service, which starts in a second or two when the context opens."""

    def __init__(self, settings: PerceptionSettings, jpeg: bool = False) -> None:
        """Prepare to read as many pictures in parallel as there are workers.

        Each picture is read in full, because files are not successive screens of one phone. ``jpeg``: first encode and
        decode each picture as JPEG, as happens to screens from a gateway elsewhere.
        """
        in_full = IncrementalSettings(on=False)
        self.settings = settings.model_copy(update={"remembered": 0, "incremental": in_full})
        """The settings that this reader applies."""
        self._service = PerceptionService(self.settings)
        self._decoded = _decoded_as_sent if jpeg else _decoded
        self._decoder = ThreadPoolExecutor(1, thread_name_prefix="decoder")

    async def __aenter__(self) -> Self:
        """Start the service.

        Raises BadInput if an engine is missing, or if models in the settings are missing or unfit.
        """
        try:
            await self._service.start()
        except PerceptionError as error:
            raise BadInput(str(error)) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop the service."""
        await self._service.stop()
        await asyncio.to_thread(self._decoder.shutdown, wait=True, cancel_futures=True)

    async def read_all(self, paths: Iterable[Path]) -> AsyncGenerator[PictureRead]:
        """Read files in the order given. Close the generator (contextlib.aclosing) before the reader."""
        readings: deque[asyncio.Task[PictureRead]] = deque()
        try:
            for path in paths:
                readings.append(asyncio.create_task(self.read(path)))
                if len(readings) == self.settings.readers():
                    yield await readings.popleft()
            while readings:
                yield await readings.popleft()
        finally:
            for task in readings:
                task.cancel()
            await asyncio.gather(*readings, return_exceptions=True)

    async def read(self, path: Path) -> PictureRead:
        """Read one file. If it cannot be decoded, or not be read in time, the result has an ``error``."""
        used = time.process_time()
        try:
            loop = asyncio.get_running_loop()
            rgb, content, decode_ms = await loop.run_in_executor(self._decoder, self._decoded, path)
            screen = await self._perceived(path, rgb, content)
        except (BadInput, PerceptionError, CallError) as error:
            return PictureRead(path, error=error)
        return PictureRead(
            path,
            rgb,
            screen,
            timings_ms={**screen.timings_ms, "decode": decode_ms},
            cpu_ms=(time.process_time() - used) * 1000 if self.settings.readers() == 1 else None,
        )

    async def _perceived(self, path: Path, rgb: Rgb, content: str) -> Screen:
        shot = Screenshot(
            content_id=content,
            size=Size(width=rgb.shape[1], height=rgb.shape[0]),
            serial=str(path),
            taken_at=HOST_CLOCK.now(),
            capture_ms=0,
        )
        context = CallContext(episode=path.name, step=0, deadline=HOST_CLOCK.now() + PATIENCE_S)
        return await self._service.perceive(shot, Frame("rgb", rgb), context)


def _decoded(path: Path) -> tuple[Rgb, str, float]:
    """Return the pixels, their content id, and the milliseconds that reading and decoding took."""
    begin = time.perf_counter()
    rgb = read_picture(path)
    decode_ms = (time.perf_counter() - begin) * 1000
    return rgb, content_id(rgb), decode_ms


def _decoded_as_sent(path: Path) -> tuple[Rgb, str, float]:
    """Do the same as ``_decoded``, but return the pixels that a site's JPEG of the picture has."""
    rgb, _, decode_ms = _decoded(path)
    sent_rgb = decode_jpeg(encode_jpeg(rgb))
    return sent_rgb, content_id(sent_rgb), decode_ms


def peak_memory_mb() -> float | None:
    """Return the peak memory of this process in MiB; None if Linux does not report the peak.

    On Linux this function does not use ru_maxrss, which also counts the memory of the process before ``exec``.
    """
    if sys.platform == "linux":
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        kib = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), None)
        return None if kib is None else kib / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 1024
