"""Stamped pages: every form of a frame has the same pixels, and no two frames of a phone are equal."""

from __future__ import annotations

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from manyhands.simulator.canned.device import CannedPhone
from manyhands.simulator.canned.frames import page, stamped

PAGE = page(240, 480, 3)


@given(st.integers(0, 2**32 - 1))
def test_png_and_raw_hold_the_stamped_pixels(number: int) -> None:
    frame = stamped(PAGE, number)
    assert frame.png is not None
    assert frame.raw is not None
    decoded = cv2.imdecode(np.frombuffer(frame.png, np.uint8), cv2.IMREAD_COLOR_RGB)
    assert np.array_equal(decoded, frame.rgb)
    assert np.frombuffer(frame.raw[:16], "<u4").tolist() == [240, 480, 1, 1]
    assert np.array_equal(np.frombuffer(frame.raw[16:], np.uint8).reshape(480, 240, 4)[..., :3], frame.rgb)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_stamps_differ_where_numbers_do(one: int, other: int) -> None:
    assert np.array_equal(stamped(PAGE, one).rgb, stamped(PAGE, other).rgb) is (one == other)


def test_every_input_shows_a_frame_that_no_phone_showed_before() -> None:
    pages = [page(240, 480, number) for number in range(2)]
    phones = [CannedPhone(seed, pages, 100) for seed in (1, 2)]
    shown: set[bytes] = set()
    for phone in phones:
        for act in (
            lambda p: None,
            lambda p: p.tap(1, 2),
            lambda p: p.key(4),
            lambda p: p.reset(5),
            lambda p: p.key(3),
        ):
            act(phone)
            assert phone.frame() is phone.frame()
            shown.add(phone.frame().rgb.tobytes())
        assert phone.state() == {"canned": True, "inputs": 1}
    assert len(shown) == 2 * 5
