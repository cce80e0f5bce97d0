"""``uiautomator dump``: the hierarchy of the window in front, as XML.

As on a phone, a window that forbids screenshots has its views in the dump, a page is waited for while it loads,
and where no window is shown there is no file and the exit status is 0. Unlike there, a file that cannot be written
is reported with status 1, and nothing waits for the screen to be still for a second.
"""

from __future__ import annotations

import asyncio
import posixpath
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from manyhands.simulator.phone.device import PhoneDevice, TimedScreen
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
    if not await idle(call.phone.device):
        await call.complain("ERROR: could not get idle state.")
        return 0
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
    """Return whether the screen comes to rest in time."""
    if not isinstance(device, TimedScreen):
        return True
    for _ in range(round(IDLE_S / LOOK_S)):  # a phone's time passes only when it is looked at
        if device.rest()["resting"]:
            return True
        await asyncio.sleep(LOOK_S)
    return False


def compressed(root: ViewNode) -> ViewNode:
    """Return the same without views that only arrange others."""

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
    """Return the file's text: one line."""
    hierarchy = ET.Element("hierarchy", {"rotation": "0"})
    add(hierarchy, root, 0, package)
    return HEADER + ET.tostring(hierarchy, encoding="unicode")


def add(parent: ET.Element, node: ViewNode, index: int, package: str) -> None:
    """One view and all below it, with the attributes and their order that Android has."""
    left, top, right, bottom = node.bounds
    flags = {
        "checkable": node.checkable,
        "checked": node.checked,
        "clickable": node.clickable,
        "enabled": True,
        "focusable": node.focusable,
        "focused": node.focused,
        "scrollable": node.scrollable,
        "long-clickable": node.long_clickable,
        "password": False,
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
    """Return whether Android calls it NAF: it can be clicked, and neither it nor what is in it has a text."""
    if not node.clickable or node.kind.endswith(NOT_CALLED_UNFRIENDLY):
        return False
    return not any(view.text or view.description for view in node.walk())


def printable(text: str) -> str:
    """Return the text with a dot for each character that XML does not have."""
    return "".join("." if not_in_xml(ord(character)) else character for character in text)


def not_in_xml(code: int) -> bool:
    controls = code < 0x20 and code not in (0x9, 0xA, 0xD)
    others = 0x7F <= code <= 0x84 or 0x86 <= code <= 0x9F or 0xFDD0 <= code <= 0xFDDF or 0xD800 <= code <= 0xDFFF
    return controls or others or code & 0xFFFE == 0xFFFE


COMMANDS = {"uiautomator": Command(uiautomator)}
