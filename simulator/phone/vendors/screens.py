"""Declare phones whose screenshots or displays are odd."""

from __future__ import annotations

import cv2
import numpy as np

from manyhands.simulator.phone.device import refresh
from manyhands.simulator.phone.vendors.vendor import Change, Respond, Vendor, answer, in_front, precede, rewrite
from manyhands.simulator.shell.command import Call, Run
from manyhands.simulator.shell.commands.dumpsys import DISPLAY_ID
from manyhands.simulator.system.capture import encode_png, encode_raw

PANEL_SCALE = 4 / 3
DARK_DISPLAY_ID = "4619827677550801153"
DEVICE = (
    '  DisplayDeviceInfo{{"Built-in Screen": uniqueId="local:{0}", 1080 x 2400, modeId 1, touch INTERNAL, rotation 0, '
    "type INTERNAL, state {1}, committedState {1}}}"
)
DISPLAY_ROW = 'Display {0} (HWC display {1}): port={1} pnpId=QCM displayName=""\n'

WARNING = """[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display \
found, however this default is not guaranteed to be consistent across captures. A display id should be specified.
A display ID can be specified with the [-d display-id] option.
See "dumpsys SurfaceFlinger --display-id" for valid display IDs.
"""


def _focus(window: str) -> Change:
    """Return a change of the window that has the focus."""
    return rewrite("dumpsys", "window.*", r"^  mCurrentFocus=.*$", f"  mCurrentFocus={window}")


def _picture(scale: float) -> Respond:
    """Return what ``screencap`` does on a phone whose pictures are black (0) or enlarged (above 1)."""

    async def respond(call: Call, original: Run) -> int:
        await refresh(call.phone.device, "frame")
        rgb = call.phone.device.frame().rgb
        height, width = rgb.shape[:2]
        shown = cv2.resize(rgb, (round(width * scale), round(height * scale))) if scale else np.zeros_like(rgb)
        shown = np.asarray(shown, np.uint8)
        await call.stdio.stdout.write(encode_png(shown) if "-p" in call.args else encode_raw(shown))
        return 0

    return respond


async def _panel_size(call: Call, original: Run) -> int:
    width, height = call.phone.device.width, call.phone.device.height
    await call.print(f"Physical size: {round(width * PANEL_SCALE)}x{round(height * PANEL_SCALE)}")
    await call.print(f"Override size: {width}x{height}")
    return 0


VENDORS = (
    Vendor(
        "size-override",
        "Samsung and others with 'wm size WxH': touches count in the override's pixels, pictures have the panel's",
        (Change("wm", "size", _panel_size), Change("screencap", "(-p)?", _picture(PANEL_SCALE))),
    ),
    Vendor(
        "no-screenshot-in-shop",
        "Several: screencap fails while one app is in front, as it protects its window",
        (
            answer(
                "screencap",
                stderr="Failed to take screenshot. Status: -1\n",
                status=1,
                when=in_front("com.manyhands.shop"),
            ),
        ),
    ),
    Vendor(
        "foldable",
        "Galaxy Z Fold, Pixel Fold: of two displays one is dark, and screencap without -d takes that one",
        (
            Change("screencap", "(-p)?", _picture(0)),
            Change("screencap", f"(-p )?-d {DARK_DISPLAY_ID}", _picture(0)),
            answer(
                "dumpsys",
                "SurfaceFlinger --display-id",
                stdout=DISPLAY_ROW.format(DARK_DISPLAY_ID, 0) + DISPLAY_ROW.format(DISPLAY_ID, 1),
            ),
            rewrite(
                "dumpsys",
                "display",
                r"^DISPLAY MANAGER.*$",
                rf"\g<0>\n{DEVICE.format(DARK_DISPLAY_ID, 'OFF')}\n{DEVICE.format(DISPLAY_ID, 'ON')}",
            ),
        ),
    ),
    Vendor(
        "no-focused-window",
        "Several: between two windows 'mCurrentFocus' is null for long, and only the app with the focus is told",
        (_focus("null"),),
    ),
    Vendor(
        "cover-display",
        "Flip phones and phones with a second screen: the cover's app has the focus of its own display",
        (
            _focus("null"),
            rewrite(
                "dumpsys",
                "window.*",
                r"\Z",
                "  Display: mDisplayId=1 (organized)\n"
                "    mCurrentFocus=Window{1c0ffee u0 com.vendor.cover/com.vendor.cover.Clock}\n"
                "    mFocusedApp=ActivityRecord{2c0ffee u0 com.vendor.cover/.Clock t2}\n",
            ),
        ),
    ),
    Vendor(
        "edge-panel",
        "Samsung and others: a panel over the app has the focus and is named after a package of its own",
        (_focus("Window{3c0ffee u0 com.vendor.edge/com.vendor.edge.Panel}"),),
    ),
    Vendor(
        "shade-has-focus",
        "Several: the notification shade keeps the focus while an app is in front",
        (_focus("Window{4c0ffee u0 NotificationShade}"),),
    ),
    Vendor(
        "permission-dialog",
        "Android's own question for a permission lies over the app, and is another package",
        (
            rewrite(
                "dumpsys",
                "window.*",
                r"^(  mFocusedApp=ActivityRecord\{\S+ u0 )\S+",
                r"\1com.google.android.permissioncontroller/.permission.ui.GrantPermissionsActivity",
            ),
        ),
    ),
    Vendor(
        "dumps-refused",
        "Phones of companies: no report of dumpsys may be read by the shell",
        (answer("dumpsys", stderr="Permission Denial: can't dump from pid=4711, uid=2000\n", status=1),),
    ),
    Vendor(
        "screencap-warns",
        "Android 14 with several displays: screencap warns before it writes the picture",
        (precede("screencap", stderr=WARNING),),
    ),
    Vendor(
        "slow-screencap",
        "Cheap phones: a picture takes long",
        (precede("screencap", seconds=0.5),),
    ),
)
