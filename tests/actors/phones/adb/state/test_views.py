"""The views of a phone's window belong to the screenshot that was taken before, or they do not say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.view_tree import read_views
from manyhands.protocol.errors import DeadlinePassed, StateUnavailable
from manyhands.protocol.screens.actions import OpenApp
from manyhands.protocol.screens.screen import VIEWS, ViewTree
from manyhands.simulator.fleet import virtual_phones
from manyhands.simulator.phone.keycodes import KEY_CODES
from tests.actors.phones.world import World, within, world

PAGE = """<hierarchy rotation="0"><node class="android.widget.FrameLayout" bounds="[0,0][100,200]">
<node class="android.widget.EditText" text="hunter2" content-desc="Password" password="true" bounds="[1,2][3,4]"/>
</node></hierarchy>"""


async def views(place: World) -> ViewTree:
    return ViewTree.model_validate(await place.gateway.state(place.lease, VIEWS, within()))


def texts(tree: ViewTree) -> set[str]:
    return {view.text for view in tree.views} - {""}


async def test_views_belong_to_the_last_screenshot(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        assert (await views(place)).shown is None, "there is no screenshot yet"
        screenshot, _, _ = await place.gateway.capture(place.lease, None, within())
        tree = await views(place)
        assert tree.shown == screenshot.content_id
        assert "Notes" in texts(tree)
        assert next(view.depth for view in tree.views) == 0
        again, _, _ = await place.gateway.capture(place.lease, None, within())
        assert again.content_id == screenshot.content_id, "a look between two screenshots changes neither"


async def test_views_of_another_screen_say_so(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        await place.gateway.capture(place.lease, None, within())
        await place.perform("e:0", OpenApp(app="Notes"))
        assert (await views(place)).shown is None, "the phone was touched"
        screenshot, _, _ = await place.gateway.capture(place.lease, None, within())
        assert (await views(place)).shown == screenshot.content_id
        place.device.key(KEY_CODES["HOME"])
        assert (await views(place)).shown is None, "the screen changed by itself"


async def test_a_dump_that_hangs_ends_at_the_deadline(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        screenshot, _, _ = await place.gateway.capture(place.lease, None, within())
        await place.fleet.set_condition(0, "dump_s", 3600)
        with pytest.raises(DeadlinePassed):
            await place.gateway.state(place.lease, VIEWS, within(0.2))
        again, _, _ = await place.gateway.capture(place.lease, None, within())
        assert again.content_id == screenshot.content_id, "the phone is free again"
        await place.fleet.set_condition(0, "dump_s", 0)
        assert (await views(place)).shown == screenshot.content_id


async def test_the_text_of_a_password_field_stays_on_the_phone() -> None:
    async def ask(line: str) -> ShellResult:
        return ShellResult(PAGE.encode(), b"", 0)

    outer, field = await read_views(ask)
    assert (outer.depth, field.depth, field.text, field.description) == (0, 1, "", "Password")
    assert field.password


@pytest.mark.parametrize(
    ("printed", "complaint", "why"),
    [
        (b"", b"ERROR: could not get idle state.", "could not get idle state"),
        (b"<hierarchy><node", b"", "no tree of views"),
        (b"<hierarchy><other/></hierarchy>", b"", "not a node"),
    ],
)
async def test_a_phone_without_views_says_why(printed: bytes, complaint: bytes, why: str) -> None:
    async def ask(line: str) -> ShellResult:
        return ShellResult(printed, complaint, 1)

    with pytest.raises(StateUnavailable, match=why):
        await read_views(ask)
