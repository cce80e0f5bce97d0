"""Other projects' own controllers drive a web phone.

``CONTROLLERS`` names a folder with checkouts of Open-AutoGLM, AppAgent and MobileAgent, and ``CONTROLLERS_PYTHON`` a
Python with what these need: ``openai pillow pyyaml requests colorama opencv-python-headless pyshine android-env``.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import adbutils
import pytest
from PIL import Image

from manyhands.simulator.fleet import VirtualFleet
from tests.simulator.adb_client import Adb
from tests.simulator.web.test_web_phone import CHROME, INDEX, SECOND, Phone

if TYPE_CHECKING:
    from manyhands.simulator.web.browser import WebBrowser

FOLDER, PYTHON = os.environ.get("CONTROLLERS"), os.environ.get("CONTROLLERS_PYTHON")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        FOLDER is None or PYTHON is None, reason="CONTROLLERS (checkouts) and CONTROLLERS_PYTHON are not set"
    ),
]
DRIVER = Path(__file__).with_name("other_controllers.py")
ENGLISH, CHINESE = "Anna Smith 5", "你好，世界"


Send = Callable[..., Awaitable[Any]]


@asynccontextmanager
async def controller(project: str, folder: str, phone: Phone, scratch: Path) -> AsyncIterator[Send]:
    """A project's controller of one phone, in a process of its own: it is sent a command and returns the answer."""
    (scratch / "adb").symlink_to(adbutils.adb_path())
    environment = {**phone.adb.environment, "PATH": f"{scratch}:{os.environ['PATH']}"}
    process = await asyncio.create_subprocess_exec(
        *(PYTHON or "", DRIVER, project, phone.serial),
        cwd=Path(FOLDER or "") / folder,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    async def send(*command: object) -> Any:
        process.stdin.write(json.dumps(command).encode() + b"\n")
        async for line in process.stdout:  # some print more than the answer
            _, mark, answer = line.partition(b'{"answer"')  # some colour even this line
            if mark:
                return json.loads(mark + answer)["answer"]
        raise AssertionError(f"{project} ended at {command}; its errors are in stderr")

    try:
        yield send
    finally:
        process.stdin.close()
        assert await process.wait() == 0


@pytest.fixture
async def phone(browser: WebBrowser, adb: Adb) -> AsyncIterator[Phone]:
    from manyhands.simulator.web.fleet import web_phones

    async with VirtualFleet(1, web_phones(browser, INDEX, 720, 1600)) as fleet:
        (serial,) = fleet.serials
        await adb.connect(serial)
        yield Phone(adb, serial)
        await asyncio.to_thread(adb.client.disconnect, serial)


async def middle(phone: Phone, name: str) -> tuple[int, int]:
    """The middle of the view with this name."""
    bounds = (await phone.view(name)).attrib["bounds"].replace("][", ",").strip("[]").split(",")
    left, top, right, bottom = map(int, bounds)
    return (left + right) // 2, (top + bottom) // 2


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("project", "folder", "lacks"),
    [
        ("android_env", ".", ()),
        ("Open-AutoGLM", "Open-AutoGLM", ("dump",)),
        ("AppAgent", "AppAgent", ("Chinese", "front")),
        ("Mobile-Agent-v3", "MobileAgent/Mobile-Agent-v3/mobile_v3", ("dump", "front")),
    ],
)
async def test_a_controller_drives_a_web_phone(
    phone: Phone, tmp_path: Path, project: str, folder: str, lacks: tuple[str, ...]
) -> None:
    async with controller(project, folder, phone, tmp_path) as send:
        await drive(send, phone, tmp_path, lacks)


async def drive(send: Send, phone: Phone, tmp_path: Path, lacks: tuple[str, ...]) -> None:
    """Do all that a controller does not lack."""
    picture, tree = tmp_path / "step.png", tmp_path / "step.xml"
    await send("screenshot", str(picture))
    direct = Image.open(io.BytesIO((await phone.adb.run(phone.serial, "exec-out", "screencap", "-p")).out))
    assert Image.open(picture).convert("RGB").tobytes() == direct.convert("RGB").tobytes()

    await send("tap", *await middle(phone, "Name"))
    assert b"mInputShown=true" in (await phone.shell("dumpsys input_method")).out
    await send("type", ENGLISH)
    assert (await phone.state())["page"]["name"] == ENGLISH
    if "Chinese" not in lacks:
        await send("type", CHINESE)
        assert (await phone.state())["page"]["name"] == ENGLISH + CHINESE
    else:  # `input text` has no key for these letters, on a real phone as well
        assert await send("type", CHINESE) == "ERROR"
        assert (await phone.state())["page"]["name"] == ENGLISH

    if "dump" not in lacks:
        names = await send("dump", str(tree))
        texts = {node.get("text") for node in ElementTree.parse(tree).iter("node")}
        assert texts >= {(await phone.state())["page"]["name"], "Go", "Second page"}
        assert names is None or len(names) >= 5

    await send("tap", *await middle(phone, "Second page"))
    await phone.shows(SECOND)
    if "front" not in lacks:
        assert await send("front") in (CHROME, "Chrome")
    await send("back")
    await phone.shows(INDEX)
