"""Frames that no sane phone gives: each is a typed error or is read right, and none takes more memory than its pixels.

What files may hold beyond that (other formats, orientation, animations) is in tests/deploy/perception/test_pictures.py.
"""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from manyhands.actors.frames import MAX_PIXELS, Frame, Rgb, decode_png, encode_png
from manyhands.actors.perception.service import PerceptionService
from manyhands.protocol.errors import CaptureFailed, PerceptionError
from manyhands.protocol.screens.geometry import LONGEST_SIDE
from manyhands.protocol.screens.screen import Screen, Screenshot
from tests.actors.perception.pictures import sample, screenshot_of, within

WORD = "Garbage"
PICTURE = sample(WORD)
WHOLE = encode_png(PICTURE)
SIGNATURE = WHOLE[:8]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of(width: int, height: int, compressed: bytes, bits: int = 1, colour: int = 0) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", compressed) + chunk(b"IEND", b"")


def bomb(width: int, height: int) -> bytes:
    """A whole PNG of black pixels, one bit each: 100 megapixels take 12 kB."""
    return png_of(width, height, zlib.compress(bytes((1 + (width + 7) // 8) * height), 9))


def saved(image: Image.Image, form: str = "PNG", **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


def turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return saved(Image.fromarray(PICTURE), exif=exif)


def palette() -> bytes:
    return saved(Image.fromarray(PICTURE).quantize(16))


def clear() -> bytes:
    image = Image.fromarray(PICTURE)
    image.putalpha(0)
    return saved(image)


def sixteen_bits(shape: int) -> bytes:
    deep = PICTURE.astype(np.uint16) * 257
    done, data = cv2.imencode(".png", deep if shape == 3 else deep[:, :, 0])
    assert done
    return data.tobytes()


async def read(service: PerceptionService, rgb: Rgb, frame: Frame) -> Screen:
    return await service.perceive(screenshot_of(rgb), frame, within(60))


def described(width: int, height: int) -> Screenshot:
    """A screenshot as a phone describes it, whatever the frame beside it holds."""
    return screenshot_of(np.zeros((1, 1, 3), np.uint8)).model_copy(
        update={"size": {"width": width, "height": height}, "content_id": f"{width:016x}{height:016x}"}
    )


GARBAGE = {
    "empty": b"",
    "a word": b"screencap: permission denied\n",
    "only a signature": SIGNATURE,
    "cut in the header": WHOLE[:20],
    "cut in the middle": WHOLE[: len(WHOLE) // 2],
    "without its pixels": png_of(320, 96, b""),
    "with pixels that are none": png_of(320, 96, b"no zlib stream"),
    "with too few pixels": png_of(320, 96, zlib.compress(bytes(100)), bits=8, colour=2),
    "of no pixels": png_of(0, 0, zlib.compress(b"")),
    "of 100 megapixels": bomb(10_000, 10_000),
    "of 4 gigapixels in words only": png_of(65_535, 65_535, b""),
    "wider than any screen": bomb(LONGEST_SIDE + 1, 8),
    "of more pixels than there are numbers": png_of(2**31 - 1, 2**31 - 1, b""),
    "a JPEG": saved(Image.fromarray(PICTURE), "JPEG"),
    "a GIF": saved(Image.fromarray(PICTURE), "GIF"),
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
async def test_what_is_no_frame_is_a_typed_error(service: PerceptionService, data: bytes) -> None:
    with pytest.raises(CaptureFailed):
        decode_png(data)
    with pytest.raises(PerceptionError, match="cannot be read"):
        await read(service, PICTURE, Frame("png", data))


ODD = {
    "16 bits": sixteen_bits(3),
    "16 bits of grey": sixteen_bits(1),
    "palette": palette(),
    "transparent": clear(),
    "grey": saved(Image.fromarray(PICTURE).convert("L")),
    "black and white": saved(Image.fromarray(PICTURE).convert("1", dither=Image.Dither.NONE)),
    "with an orientation that does not count": turned(),
    "interlaced": saved(Image.fromarray(PICTURE), interlace=1),
}


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
async def test_odd_frames_are_read_right(service: PerceptionService, data: bytes) -> None:
    rgb = decode_png(data)
    assert rgb.shape == PICTURE.shape
    screen = await read(service, rgb, Frame("png", data))
    assert [element.content for element in screen.elements if element.kind == "text"] == [WORD]


@given(st.integers(0, len(WHOLE) - 1))
def test_a_frame_that_is_cut_off_is_an_error_unless_all_pixels_are_there(length: int) -> None:
    try:
        rgb = decode_png(WHOLE[:length])
    except CaptureFailed:
        return
    assert np.array_equal(rgb, PICTURE)


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
def test_a_byte_that_is_wrong_gives_an_error_or_a_picture_of_the_size_in_the_header(place: int, change: int) -> None:
    spoiled = bytearray(WHOLE)
    spoiled[place] ^= change
    try:
        rgb = decode_png(bytes(spoiled))
    except CaptureFailed:
        return
    assert rgb.shape == PICTURE.shape


@given(st.binary(max_size=300))
def test_noise_behind_a_signature_is_an_error(noise: bytes) -> None:
    with pytest.raises(CaptureFailed):
        decode_png(SIGNATURE + noise)


@pytest.mark.parametrize(
    ("width", "height"), [(1, 1), (2, 1), (1, 5), (3, 3), (1, 2400), (1080, 1), (31, 33), (LONGEST_SIDE, 2)]
)
async def test_the_smallest_and_narrowest_frames_hold_nothing(
    service: PerceptionService, width: int, height: int
) -> None:
    rgb = np.full((height, width, 3), 200, np.uint8)
    assert (await read(service, rgb, Frame("rgb", rgb))).elements == ()


@pytest.mark.parametrize(
    "pixels",
    [
        np.broadcast_to(np.zeros(3, np.uint8), (10_000, 10_000, 3)),
        np.broadcast_to(np.zeros(3, np.uint8), (2, LONGEST_SIDE + 1, 3)),
        np.zeros((96, 320, 4), np.uint8),
        np.zeros((96, 320), np.uint8),
        np.zeros((0, 320, 3), np.uint8),
        np.zeros((96, 320, 3), np.float32),
    ],
    ids=["100 megapixels", "too wide", "four channels", "no channels", "no rows", "floats"],
)
async def test_raw_pixels_that_are_no_frame_are_a_typed_error(
    service: PerceptionService, pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
) -> None:
    with pytest.raises(PerceptionError, match="cannot be read"):
        await service.perceive(described(320, 96), Frame("rgb", pixels), within(60))


LIMITED = """
import resource, sys
from pathlib import Path
from manyhands.actors.frames import decode_png
from manyhands.protocol.errors import CaptureFailed

def of_status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

bombs = [Path(name).read_bytes() for name in sys.argv[2:]]
before = of_status("VmHWM:")
limit = of_status("VmSize:") + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for bomb in bombs:
    try:
        decode_png(bomb)
    except CaptureFailed as error:
        print(error)
print(of_status("VmHWM:") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says of a process")
def test_bombs_take_no_memory(tmp_path: Path) -> None:
    """100 megapixels would be 300 MB; the process may take 256 MB more and takes next to nothing."""
    texts = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(400_000_000), 1))
    bombs = [GARBAGE["of 100 megapixels"], GARBAGE["of 4 gigapixels in words only"], WHOLE[:33] + texts + WHOLE[33:]]
    for number, data in enumerate(bombs):
        (tmp_path / f"{number}.png").write_bytes(data)
    paths = sorted(map(str, tmp_path.glob("*.png")))
    command = [sys.executable, "-c", LIMITED, str(256 * 2**20), *paths]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    *errors, grown = done.stdout.splitlines()
    assert sum(str(MAX_PIXELS) in error for error in errors) == 2
    assert int(grown) < 32 * 2**20
