"""A hand that knows a phone by adb alone."""

from __future__ import annotations

import base64
import json
import re
import shlex
from typing import Any
from xml.etree import ElementTree

import adbutils

from tests.simulator.web.miniwob.player import Missing, Node

PROVIDER = "content://manyhands.simulator"


class AdbHand:
    """Touch a phone and look at it as any client of adb can."""

    def __init__(self, device: adbutils.AdbDevice) -> None:
        self._device = device
        size = re.search(r"(\d+)x\d+", device.shell("wm size"))
        assert size is not None
        self.width = int(size[1])

    def nodes(self) -> list[Node]:
        text = self._device.shell("uiautomator dump /sdcard/w.xml >/dev/null && cat /sdcard/w.xml")
        if not text.startswith("<"):
            raise Missing(f"no tree: {text}")
        return [_node(element.attrib) for element in ElementTree.fromstring(text).iter("node")]

    def tap(self, x: int, y: int) -> None:
        self._device.shell(f"input tap {x} {y}")

    def swipe(self, x1: int, y1: int, x2: int, y2: int, ms: int) -> None:
        self._device.shell(f"input swipe {x1} {y1} {x2} {y2} {ms}")

    def type(self, text: str) -> None:
        self._device.shell(f"input text {shlex.quote(text.replace(' ', '%s'))}")

    def key(self, code: int) -> None:
        self._device.shell(f"input keyevent {code}")

    # ------------------------------------------------------------------ of the test, not of a player
    def reset(self, number: int) -> None:
        """Set the phone to a problem."""
        assert "ok=true" in self._device.shell(f"content call --uri {PROVIDER} --method reset --arg {number}")

    def page(self) -> Any:
        """Return what the page tells of its problem."""
        match = re.search(r"json=(\S+)", self._device.shell(f"content query --uri {PROVIDER}/state"))
        assert match is not None
        return json.loads(base64.b64decode(match[1]))["page"]


def _node(values: dict[str, str]) -> Node:
    left, top, right, bottom = map(int, re.findall(r"-?\d+", values["bounds"]))
    return Node(
        values["text"] or values["content-desc"],
        values["class"].rpartition(".")[2],
        left,
        top,
        right,
        bottom,
        values["checked"] == "true",
        values["focused"] == "true",
        values["enabled"] == "true",
    )
