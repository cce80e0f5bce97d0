from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from manyhands.actors.frames import encode_png
from manyhands.actors.phones.adb.frame_source import FormChoice, raw_bytes, read_frame
from manyhands.protocol.errors import CaptureFailed

PIXELS = np.random.default_rng(1).integers(0, 256, (24, 10, 3), np.uint8)


def raw(rgb: NDArray[np.uint8], header: int = 16, form: int = 1) -> bytes:
    height, width = rgb.shape[:2]
    alpha = np.full((height, width, 1), 255, np.uint8)
    numbers = struct.pack("<4I", width, height, form, 1)[:header]
    return numbers + np.concatenate([rgb, alpha], axis=2).tobytes()


def test_a_png_is_kept_as_it_came() -> None:
    png = encode_png(PIXELS)
    frame = read_frame("png", memoryview(png))
    assert frame.data == png
    assert np.array_equal(frame.rgb(), PIXELS)


def test_a_warning_before_the_png_is_left_out() -> None:
    png = encode_png(PIXELS)
    said = b"[Warning] Multiple displays were found, but no display id was specified!\n"
    assert read_frame("png", memoryview(said + png)).data == png


@pytest.mark.parametrize("header", [12, 16])
@pytest.mark.parametrize("form", [1, 2])
def test_raw_frames_of_old_and_new_phones(header: int, form: int) -> None:
    data = raw(PIXELS, header, form)
    assert np.array_equal(read_frame("raw", memoryview(data)).rgb(), PIXELS)
    assert len(raw(PIXELS)) == raw_bytes(10, 24)


@given(st.integers(0, len(encode_png(PIXELS)) - 1))
def test_a_png_that_is_cut_off_is_no_picture(kept: int) -> None:
    with pytest.raises(CaptureFailed):
        read_frame("png", memoryview(encode_png(PIXELS)[:kept]))


@given(st.integers(0, len(raw(PIXELS)) - 1))
def test_a_raw_frame_that_is_cut_off_is_no_picture(kept: int) -> None:
    if kept == len(raw(PIXELS, 12)):
        return  # as long as a whole frame of an older phone
    with pytest.raises(CaptureFailed):
        read_frame("raw", memoryview(raw(PIXELS)[:kept]))


@given(st.binary(max_size=200))
def test_other_bytes_are_no_picture(data: bytes) -> None:
    for form in ("png", "raw"):
        with pytest.raises(CaptureFailed):
            read_frame(form, memoryview(data))


def test_the_error_says_what_came_instead() -> None:
    with pytest.raises(CaptureFailed, match="inaccessible or not found"):
        read_frame("png", memoryview(b"/system/bin/sh: screencap: inaccessible or not found\n"))


def test_an_unknown_pixel_format_is_no_picture() -> None:
    with pytest.raises(CaptureFailed):
        read_frame("raw", memoryview(raw(PIXELS, form=4)))


# ---------------------------------------------------------------------------- which form
SPEEDS = {"png": 0.4, "raw": 0.1}


def run(choice: FormChoice, captures: int, speeds: dict[str, float]) -> list[str]:
    used: list[str] = []
    for _ in range(captures):
        form = choice.next()
        used.append(form)
        choice.count_capture(form, speeds[form])
    return used


def test_both_forms_are_tried_and_the_sooner_one_stays() -> None:
    used = run(FormChoice(), 100, SPEEDS)
    assert sorted(used[:4]) == ["png", "png", "raw", "raw"]
    assert set(used[4:]) == {"raw"}


def test_the_other_form_is_tried_again_seldom() -> None:
    used = run(FormChoice(again_after=50), 500, SPEEDS)
    assert 5 <= used[4:].count("png") <= 12


def test_the_choice_changes_when_the_speeds_do() -> None:
    choice = FormChoice(again_after=20)
    run(choice, 50, SPEEDS)
    used = run(choice, 400, {"png": 0.05, "raw": 0.9})
    assert used[-200:].count("png") >= 185


def test_a_form_that_fails_is_left_alone() -> None:
    choice = FormChoice()
    assert choice.next() == "raw"
    choice.failed("raw")
    assert set(run(choice, 100, SPEEDS)) == {"png"}
