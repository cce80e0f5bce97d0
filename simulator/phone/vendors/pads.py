"""Declare phones whose apps have pads of digits: keys of one character, drawn without a tree that could name them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from manyhands.simulator.phone import fonts
from manyhands.simulator.phone.vendors.vendor import Change, Vendor, in_front
from manyhands.simulator.shell.command import Call, Run
from manyhands.simulator.system.capture import encode_png, encode_raw

DIALLER = ("123", "456", "789", "*0#")
CALCULATOR = ("C()÷", "789×", "456−", "123+", "0.%=")
APP = "com.android.deskclock"
"""The app in whose place the pad is drawn."""


def _pad(rows: tuple[str, ...], font: str) -> Change:
    """Return a change that draws a pad of keys while an app is in front."""

    async def respond(call: Call, original: Run) -> int:
        if not in_front(APP)(call.phone):
            return await original(call)
        width, height = call.phone.device.width, call.phone.device.height
        page = Image.new("RGB", (width, height), (255, 255, 255))
        draw = ImageDraw.Draw(page)
        letters = ImageFont.truetype(Path(fonts.__path__[0], font), width * 84 // 1080)
        for row, line in enumerate(rows):
            for column, key in enumerate(line):
                place = ((column + 0.5) * width / len(line), height * (0.4 + 0.11 * row))
                draw.text(place, key, fill=(30, 30, 30), font=letters, anchor="mm")
        pixels = np.array(page)
        await call.stdio.stdout.write(encode_png(pixels) if "-p" in call.args else encode_raw(pixels))
        return 0

    return Change("screencap", "(-p)?", respond)


VENDORS = (
    Vendor(
        "dial-pad",
        "Several diallers: keys with one round character each, '0', '*', '#' (drawn in place of Clock)",
        (_pad(DIALLER, "Roboto-Regular.ttf"),),
    ),
    Vendor(
        "calculator",
        "Several calculators: '×' looks like a cross that closes, '.' like dirt (drawn in place of Clock)",
        (_pad(CALCULATOR, "NotoSansSC-Regular.otf"),),
    ),
)
