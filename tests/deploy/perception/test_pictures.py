"""Picture files of every kind: shown as a viewer shows them, or one typed error."""

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
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from manyhands.deploy.perception.reader import STRIP, find_pictures, read_picture
from manyhands.protocol.errors import BadInput
from tests.examples import examples

SIZE = (24, 16)
RED, GREEN, WHITE = (220, 30, 30), (30, 180, 60), (255, 255, 255)
UPRIGHT = Image.new("RGB", SIZE, RED)
UPRIGHT.paste(GREEN, (0, 0, 8, 16))
"""A green stripe on the left."""
LOOKS_LIKE = np.asarray(UPRIGHT)


def saved(path: Path, image: Image.Image = UPRIGHT, **options: object) -> Path:
    image.save(path, **options)
    return path


def alike(rgb: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], tolerance: int) -> bool:
    """As the picture above, stripe left, within what its format loses."""
    assert (rgb.shape, rgb.dtype) == (LOOKS_LIKE.shape, np.uint8)
    return bool(np.abs(rgb.astype(int) - LOOKS_LIKE).mean() <= tolerance)


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "gif", "bmp"])
def test_each_format(tmp_path: Path, suffix: str) -> None:
    assert alike(read_picture(saved(tmp_path / f"one.{suffix}")), 12)


@pytest.mark.parametrize("suffix", ["", ".txt"])
def test_the_content_says_what_a_file_is(tmp_path: Path, suffix: str) -> None:
    assert alike(read_picture(saved(tmp_path / f"one{suffix}", format="PNG")), 0)


@pytest.mark.parametrize(("mode", "form"), [("RGBA", "PNG"), ("P", "PNG"), ("CMYK", "JPEG"), ("YCbCr", "JPEG")])
def test_modes_of_colour(tmp_path: Path, mode: str, form: str) -> None:
    image = UPRIGHT.quantize(8) if mode == "P" else UPRIGHT.convert(mode)
    assert alike(read_picture(saved(tmp_path / "one", image, format=form)), 12)


@pytest.mark.parametrize("mode", ["L", "LA", "1"])
def test_modes_without_colour(tmp_path: Path, mode: str) -> None:
    image = Image.new("L", SIZE, 255)
    image.paste(0, (0, 0, 8, 16))
    rgb = read_picture(saved(tmp_path / "one.png", image.convert(mode)))
    assert (rgb[:, :8] == 0).all()
    assert (rgb[:, 8:] == 255).all()


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_16_bits_are_the_8_above(tmp_path: Path, channels: int) -> None:
    shades = np.arange(256, dtype=np.uint16).reshape(16, 16)
    deep = shades * 256 + 3
    data = deep if channels == 1 else np.repeat(deep[:, :, None], channels, axis=2)
    if channels == 4:
        data[:, :, 3] = 0xFFFF
    path = tmp_path / "one.png"
    assert cv2.imwrite(str(path), data)
    assert np.array_equal(read_picture(path), np.repeat(shades[:, :, None], 3, axis=2))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("suffix", ["jpg", "png", "webp"])
def test_a_turned_picture_is_upright(tmp_path: Path, orientation: int, suffix: str) -> None:
    """What the camera's sensor saw, for each of the eight orientations, and the picture it is meant to be."""
    back = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    stored = UPRIGHT.transpose(back[orientation]) if orientation in back else UPRIGHT
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert alike(read_picture(saved(tmp_path / f"one.{suffix}", stored, exif=exif)), 12)


@pytest.mark.parametrize("exif", [b"", b"Exif\0\0", b"Exif\0\0II*\0\xff\xff\xff\xff", b"Exif\0\0MM\0*" + b"\xff" * 40])
def test_damaged_metadata_does_no_harm(tmp_path: Path, exif: bytes) -> None:
    assert alike(read_picture(saved(tmp_path / "one.jpg", exif=exif)), 12)


def test_what_is_transparent_is_white(tmp_path: Path) -> None:
    image = UPRIGHT.convert("RGBA")
    image.paste((0, 0, 0, 0), (8, 0, 24, 16))
    rgb = read_picture(saved(tmp_path / "one.png", image))
    assert (rgb[:, :8] == GREEN).all()
    assert (rgb[:, 8:] == WHITE).all()


@pytest.mark.parametrize("suffix", ["png", "gif", "webp"])
def test_of_an_animation_the_first_picture(tmp_path: Path, suffix: str) -> None:
    more = [Image.new("RGB", SIZE, shade) for shade in (GREEN, WHITE)]
    path = saved(tmp_path / f"one.{suffix}", save_all=True, append_images=more, duration=40)
    assert alike(read_picture(path), 12)


def test_one_pixel(tmp_path: Path) -> None:
    assert read_picture(saved(tmp_path / "one.png", Image.new("RGB", (1, 1), RED))).tolist() == [[list(RED)]]


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "L", "LA", "1"])
def test_a_picture_of_several_strips_is_what_pillow_makes_of_the_whole(tmp_path: Path, mode: str) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (2 * STRIP + 7, 20, 4), dtype=np.uint8)
    pixels[: STRIP + 3, :, 3] = 255  # what is transparent begins in the second strip
    image = Image.fromarray(pixels).convert(mode)
    path = tmp_path / "tall.png"
    image.save(path)
    whole = Image.new("RGBA", image.size, (255, 255, 255))
    whole.alpha_composite(image.convert("RGBA"))
    assert np.array_equal(read_picture(path), np.asarray(whole.convert("RGB")))


# ---------------------------------------------------------------------------- what is no picture
def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def black_png(width: int, height: int) -> bytes:
    """One bit for each pixel: 100 megapixels in 12 kB."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress(bytes((1 + (width + 7) // 8) * height), 9))
    return b"\x89PNG\r\n\x1a\n" + header + rows + chunk(b"IEND", b"")


def in_bytes(form: str) -> bytes:
    stream = io.BytesIO()
    UPRIGHT.save(stream, form)
    return stream.getvalue()


def huge(form: str) -> bytes:
    """Small files whose headers claim 60000x60000 pixels."""
    side = struct.pack("<H", 60_000)
    data = bytearray(in_bytes(form))
    if form == "GIF":
        data[6:10] = side * 2
    elif form == "BMP":
        data[18:26] = struct.pack("<II", 60_000, 60_000)
    else:
        start = data.index(b"\xff\xc0") + 5
        data[start : start + 4] = struct.pack(">HH", 60_000, 60_000)
    return bytes(data)


NO_PICTURES = {
    "empty": (b"", "empty"),
    "text": (b"not a picture at all\n", "not a picture"),
    "a PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "not a picture"),
    "PostScript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not a picture"),
    "a TIFF": (in_bytes("TIFF"), "PNG, JPEG, WebP, GIF or BMP"),
    "a PNG cut in half": (in_bytes("PNG")[:60], ""),
    "a JPEG cut in half": (in_bytes("JPEG")[:500], ""),
    "a WebP cut in half": (in_bytes("WEBP")[:40], ""),
    "100 megapixels": (black_png(10_000, 10_000), "100 megapixels; at most 25"),
    "200 megapixels": (black_png(20_000, 10_000), "megapixels"),
    "a GIF of gigapixels": (huge("GIF"), "megapixels"),
    "a BMP of gigapixels": (huge("BMP"), "megapixels"),
    "a JPEG of gigapixels": (huge("JPEG"), "megapixels"),
    "too long a side": (black_png(8, 20_000), "16384 pixels"),
}


@pytest.mark.parametrize(("data", "reason"), NO_PICTURES.values(), ids=NO_PICTURES)
def test_no_picture_is_bad_input_that_names_the_file(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "shot.png"
    path.write_bytes(data)
    with pytest.raises(BadInput) as caught:
        read_picture(path)
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"gone\.png: No such file"):
        read_picture(tmp_path / "gone.png")


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_spoiled_files_are_bad_input_or_pictures(tmp_path: Path, form: str) -> None:
    whole = in_bytes(form)
    path = tmp_path / "spoiled"

    @settings(max_examples=examples(60))
    @given(st.integers(0, len(whole)), st.integers(0, len(whole) - 1), st.integers(0, 255))
    def spoiled(length: int, place: int, change: int) -> None:
        data = bytearray(whole)
        data[place] ^= change
        path.write_bytes(data[:length])
        try:
            rgb = read_picture(path)
        except BadInput:
            return
        assert (rgb.ndim, rgb.shape[2], rgb.dtype) == (3, 3, np.uint8)

    spoiled()


LIMITED = """
import resource, sys
from pathlib import Path
from manyhands.deploy.perception.reader import STRIP, read_picture
from manyhands.protocol.errors import BadInput

def of_status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

read_picture(Path(sys.argv[2]))
before = of_status("VmHWM:")
limit = of_status("VmSize:") + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for name in sys.argv[3:]:
    try:
        read_picture(Path(name))
    except BadInput as error:
        print(error)
print(of_status("VmHWM:") - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says of a process")
def test_bombs_take_no_memory(tmp_path: Path) -> None:
    """100 megapixels would be 300 MB; the process may take 256 MB more and takes a tenth of it."""
    bombs = [data for name, (data, _) in NO_PICTURES.items() if "pixels" in name]
    comment = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(400_000_000), 1))
    png = in_bytes("PNG")
    bombs.append(png[:33] + comment + png[33:])
    paths = [tmp_path / f"{number}" for number in range(len(bombs))]
    for path, data in zip(paths, bombs, strict=True):
        path.write_bytes(data)
    fine = saved(tmp_path / "fine.png")
    command = [sys.executable, "-c", LIMITED, str(256 * 2**20), str(fine), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    *errors, grown = done.stdout.splitlines()
    assert len(errors) >= len(bombs) - 1
    assert int(grown) < 32 * 2**20


# ---------------------------------------------------------------------------- folders
def test_a_folder_gives_its_pictures_by_name_and_a_file_comes_once(tmp_path: Path) -> None:
    for name in ("b.png", "a.JPG", "notes.txt", "c.webp"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "under.png").mkdir()
    found = find_pictures([tmp_path / "notes.txt", tmp_path / "c.webp", tmp_path])
    assert [path.name for path in found] == ["notes.txt", "c.webp", "a.JPG", "b.png"]


def test_what_holds_no_pictures_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no pictures in this folder"):
        find_pictures([tmp_path])
    with pytest.raises(BadInput, match="No such file"):
        find_pictures([tmp_path / "gone.png"])
