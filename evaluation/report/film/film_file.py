"""Write an episode as a film: an animated GIF, or an MP4 where ffmpeg is."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from PIL import Image

from manyhands.evaluation.report.film.film_frames import FilmFrame
from manyhands.protocol.errors import BadInput, StoreError, store_error
from manyhands.protocol.utilities import secure_files

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
