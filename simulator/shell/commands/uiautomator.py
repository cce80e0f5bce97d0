"""Provide ``uiautomator dump``, which writes the view hierarchy of the window in front as XML.

As on a real phone, the dump also holds the views of windows that forbid screenshots. The command waits while a page
loads. If no window is shown, it writes no file, and the exit status is 0. Two things differ from a real phone: a file
that cannot be written gives status 1, and the command does not wait until the screen has been still for a second.
"""

from __future__ import annotations

import asyncio
import posixpath
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from manyhands.simulator.phone.device import PhoneDevice, TimedScreen, refresh
from manyhands.simulator.phone.views import ViewNode
from manyhands.simulator.shell.command import BAD_USAGE, FAILED, Call, Command, encode

DUMP_FILE = "/sdcard/window_dump.xml"
TERMINAL = "/dev/tty"
HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
IDLE_S = 10.0
LOOK_S = 0.05
NOT_CALLED_UNFRIENDLY = ("GridView", "GridLayout", "ListView", "TableLayout")
USAGE = """Usage: uiautomator <subcommand> [options]

Available subcommands:

    dump [--compressed] [file]: creates an XML dump of the current UI hierarchy
      [file]: the location where it is stored, default is {default}"""


async def uiautomator(call: Call) -> int:
    if call.args[:1] in ((), ("help",)):
        await call.print(USAGE.format(default=DUMP_FILE))
        return 0
    if call.args[0] != "dump":
        await call.complain(f"ERROR: a virtual phone's uiautomator has the subcommand dump alone, not {call.args[0]}")
        return BAD_USAGE
    return await dump(call)


async def dump(call: Call) -> int:
    if "--windows" in call.args:
        await call.complain("ERROR: a virtual phone dumps the window in front alone; leave --windows out")
        return BAD_USAGE
    names = [arg for arg in call.args[1:] if not arg.startswith("-")]
    name = names[-1] if names else DUMP_FILE
    await asyncio.sleep(call.phone.dump_s)
    if not await idle(call.phone.device):
        await call.complain("ERROR: could not get idle state.")
        return 0
    await refresh(call.phone.device, "hierarchy")
    root = call.phone.device.hierarchy()
    if root is None:
        await call.complain("ERROR: null root node returned by UiTestAutomationBridge.")
        return 0
    package = call.phone.device.focus().partition("/")[0]
    text = as_xml(compressed(root) if "--compressed" in call.args else root, package)
    if name == TERMINAL:
        await call.stdio.stdout.write(encode(text))
    else:
        try:
            call.phone.files.write(call.path(name), text.encode())
        except OSError as error:
            await call.complain(f"java.io.FileNotFoundException: {name}: open failed: ({error.strerror})")
            return FAILED
    await call.print(f"UI hierchary dumped to: {posixpath.join(call.environment.directory, name)}")
    return 0


async def idle(device: PhoneDevice) -> bool:
    """Wait until the screen rests. Return whether it does within IDLE_S seconds."""
    if not isinstance(device, TimedScreen):
        return True
    for _ in range(round(IDLE_S / LOOK_S)):  # a virtual phone advances only when it is asked
        if device.rest()["resting"]:
            return True
        await asyncio.sleep(LOOK_S)
    return False


def compressed(root: ViewNode) -> ViewNode:
    """Remove the views that only arrange others, and return the root. Their children take their places."""

    def kept(node: ViewNode) -> Iterator[ViewNode]:
        for child in node.children:
            if child.important:
                child.children = list(kept(child))
                yield child
            else:
                yield from kept(child)

    root.children = list(kept(root))
    return root


# ---------------------------------------------------------------------------- XML
def as_xml(root: ViewNode, package: str) -> str:
    """Return the hierarchy as XML in one line."""
    hierarchy = ET.Element("hierarchy", {"rotation": "0"})
    add(hierarchy, root, 0, package)
    return HEADER + ET.tostring(hierarchy, encoding="unicode")


def add(parent: ET.Element, node: ViewNode, index: int, package: str) -> None:
    """Add a view and all views below it, with Android's attributes in Android's order."""
    left, top, right, bottom = node.bounds
    flags = {
        "checkable": node.checkable,
        "checked": node.checked,
        "clickable": node.clickable,
        "enabled": node.enabled,
        "focusable": node.focusable,
        "focused": node.focused,
        "scrollable": node.scrollable,
        "long-clickable": node.long_clickable,
        "password": node.password,
        "selected": False,
    }
    element = ET.SubElement(
        parent,
        "node",
        ({"NAF": "true"} if unfriendly(node) else {})
        | {"index": str(index), "text": printable(node.text), "resource-id": node.resource_id, "class": node.kind}
        | {"package": package, "content-desc": printable(node.description)}
        | {name: str(value).lower() for name, value in flags.items()}
        | {"bounds": f"[{left},{top}][{right},{bottom}]"},
    )
    for number, child in enumerate(node.children):
        add(element, child, number, package)


def unfriendly(node: ViewNode) -> bool:
    """Return whether Android marks a view as NAF (not accessibility friendly).

    Such a view can be clicked, and neither it nor a view in it has a text or a description.
    """
    if not node.clickable or node.kind.endswith(NOT_CALLED_UNFRIENDLY):
        return False
    return not any(view.text or view.description for view in node.walk())


def printable(text: str) -> str:
    """Return the text with a dot in place of each character that XML does not allow."""
    return "".join("." if not_in_xml(ord(character)) else character for character in text)


def not_in_xml(code: int) -> bool:
    controls = code < 0x20 and code not in (0x9, 0xA, 0xD)
    others = 0x7F <= code <= 0x84 or 0x86 <= code <= 0x9F or 0xFDD0 <= code <= 0xFDDF or 0xD800 <= code <= 0xDFFF
    return controls or others or code & 0xFFFE == 0xFFFE


COMMANDS = {"uiautomator": Command(uiautomator)}
