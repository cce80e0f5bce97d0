"""Captions: one request for the icons of a screen, none for known ones, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from manyhands.actors.frames import Frame, Rgb
from manyhands.actors.mllm import dialect_named
from manyhands.actors.perception.appearance import looks_of, nearest
from manyhands.actors.profiles import PROFILES
from manyhands.actors.roles import CaptionSettings, IconCaptioner, RoleSettings
from manyhands.actors.roles.captioner import CELL, COLUMNS, CaptionCache, contact_sheet, first_of_each, read_captions
from manyhands.protocol.errors import Overloaded
from manyhands.protocol.messages import CallContext
from manyhands.protocol.profiles.declaration import CAPTIONS
from manyhands.protocol.roles.role import MOST_CAPTIONS, CaptionedIcon, CaptionReply
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.geometry import Box, Size
from manyhands.protocol.screens.screen import Element, Screen
from tests.actors.mllm.model_servers import Fail, Hang, Hold, ModelServer, Raw, Say, serving, settings_for

SIDE = 60
SIZE = Size(width=600, height=1200)


def drawing(number: int) -> Rgb:
    """A small picture, different for each number: dark bars and dots on white."""
    pattern = np.random.default_rng(number).integers(0, 2, (6, 6), dtype=np.uint8)
    pattern[0, 0] = pattern[5, 5] = pattern[0, 5] = pattern[5, 0] = 1
    grey = cv2.resize(255 - 200 * pattern, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST)
    return np.repeat(np.asarray(grey, np.uint8)[..., None], 3, axis=2)


def place(number: int, left: int = 20) -> Box:
    x, y = left + 110 * (number % 5), 100 + 120 * (number // 5)
    return Box(x1=x, y1=y, x2=x + SIDE, y2=y + SIDE)


def page(numbers: Sequence[int], left: int = 20) -> tuple[Screen, Frame]:
    """A screen with these drawings, one after another, their icons without names, and a text."""
    rgb = np.full((SIZE.height, SIZE.width, 3), 255, np.uint8)
    elements = [
        Element(kind="text", box=Box(x1=0, y1=0, x2=90, y2=30), content="Title", confidence=0.9),
        Element(kind="icon", box=Box(x1=500, y1=0, x2=560, y2=60), content="search", confidence=0.9),
    ]
    for at, number in enumerate(numbers):
        box = place(at, left)
        rgb[box.y1 : box.y2, box.x1 : box.x2] = drawing(number)
        elements.append(Element(kind="icon", box=box, content="", confidence=0.5))
    return Screen(content_id="0" * 32, size=SIZE, elements=tuple(elements), keyboard="hidden"), Frame("rgb", rgb)


def said(*names: str) -> str:
    return json.dumps({"icons": [{"number": at, "name": name} for at, name in enumerate(names, start=1)]})


def within(seconds: float) -> CallContext:
    return CallContext(episode="e1", step=0, deadline=time.time() + seconds)


def captioner(server: ModelServer, screens: int = 32) -> IconCaptioner:
    return IconCaptioner(CaptionSettings(role=RoleSettings(model=settings_for(server)), screens=screens))


def captions(screen: Screen) -> list[str]:
    return [element.content for element in screen.elements[2:]]


async def ask(
    role: IconCaptioner, numbers: Sequence[int], left: int = 20, wait_s: float = 20.0, seconds: float = 30.0
) -> list[str]:
    screen, frame = page(numbers, left)
    captioned = await role.caption(screen, frame, "phone-1", wait_s, within(seconds))
    assert captioned.elements[:2] == screen.elements[:2]
    assert [element.box for element in captioned.elements] == [element.box for element in screen.elements]
    return captions(captioned)


async def test_one_request_for_all_icons_and_none_for_known_ones() -> None:
    async with serving(ModelServer(Say(said("Red car.", "unknown", "cat\nphoto")))) as server:
        role = captioner(server)
        await role.start()
        assert await ask(role, [1, 2, 3]) == ["red car", "", "cat photo"]
        assert await ask(role, [3, 2, 1], left=35) == ["cat photo", "", "red car"]
        await role.stop()
    (sent,) = server.received
    assert sent.json["response_format"]["json_schema"]["name"] == "CaptionReply"
    images = [part for part in sent.json["messages"][1]["content"] if part["type"] == "image_url"]
    assert len(images) == 1
    assert (await role.counts())[0].calls[0].calls == 1


@pytest.mark.parametrize("name", [name for name, profile in PROFILES.items() if profile.declaration.uses >= CAPTIONS])
async def test_every_profile_that_has_captions_can_ask_for_them(name: str) -> None:
    async with serving(ModelServer(Say(said("car")))) as server:
        asked = PROFILES[name].role_settings(EpisodeSettings(profile=name), settings_for(server))
        role = IconCaptioner(CaptionSettings(role=asked))
        await role.start()
        assert await ask(role, [1]) == ["car"]
        await role.stop()


async def test_an_icon_that_a_screen_shows_twice_is_asked_for_once() -> None:
    async with serving(ModelServer(Say(said("car", "cat")))) as server:
        role = captioner(server)
        await role.start()
        assert await ask(role, [1, 1, 2, 1]) == ["car", "car", "cat", "car"]
        await role.stop()
    assert len(server.received) == 1


async def test_a_late_caption_serves_later_screens_and_holds_up_none() -> None:
    let_go = asyncio.Event()
    async with serving(ModelServer(Hold(let_go, said("car")))) as server:
        role = captioner(server)
        await role.start()
        assert await ask(role, [1], wait_s=0) == [""]
        await server.next_arrival()
        assert await ask(role, [1], wait_s=0) == [""]
        let_go.set()
        async with asyncio.timeout(20):
            while (found := await ask(role, [1], wait_s=0)) == [""]:
                await asyncio.sleep(0.01)
        assert found == ["car"]
        await role.stop()
    assert len(server.received) == 1


async def test_a_screen_waits_no_longer_than_its_deadline() -> None:
    async with serving(ModelServer(Hang())) as server:
        role = captioner(server)
        await role.start()
        assert await ask(role, [1], wait_s=60, seconds=0.2) == [""]
        await role.stop()
        await asyncio.wait_for(server.hung_up.wait(), 10)


async def test_phones_that_show_the_same_icons_share_a_request() -> None:
    let_go = asyncio.Event()
    async with serving(ModelServer(Hold(let_go, said("car", "cat")))) as server:
        role = captioner(server)
        await role.start()
        asked = [asyncio.create_task(ask(role, [1, 2], left)) for left in (20, 25, 30)]
        await server.next_arrival()
        let_go.set()
        assert await asyncio.gather(*asked) == [["car", "cat"]] * 3
        await role.stop()
    assert len(server.received) == 1


@pytest.mark.parametrize("answer", [Fail(400, "no such schema"), Raw("gone"), Say("no icons here"), Say(said())])
async def test_a_failing_captioner_costs_captions_alone_and_is_paused(
    answer: Fail | Raw | Say,
) -> None:
    async with serving(ModelServer(answer)) as server:
        role = captioner(server)
        await role.start()
        assert await ask(role, [1]) == [""]
        asked = len(server.received)
        assert await ask(role, [1, 2]) == ["", ""]
        await role.stop()
    assert len(server.received) == asked


async def test_more_icons_than_fit_are_asked_for_in_several_pictures() -> None:
    numbers = list(range(MOST_CAPTIONS + 3))
    async with serving(ModelServer(Say(said(*(f"thing {number}" for number in range(MOST_CAPTIONS)))))) as server:
        role = captioner(server)
        await role.start()
        assert all(await ask(role, numbers))
        await role.stop()
    assert len(server.received) == 2


async def test_more_screens_than_it_can_look_at_are_refused_until_one_is_done() -> None:
    async with serving(ModelServer(Say(said("car")))) as server:
        role = captioner(server, screens=2)
        await role.start()
        found = await asyncio.gather(*(ask(role, [1]) for _ in range(4)), return_exceptions=True)
        assert [type(one) for one in found] == [list, list, Overloaded, Overloaded]
        assert await ask(role, [1]) == ["car"]
        await role.stop()


def test_a_caption_counts_where_it_is_one() -> None:
    icons = [(1, "Car"), (2, "a"), (2, "b"), (9, "far"), (3, " Unknown. ")]
    reply = CaptionReply(icons=[CaptionedIcon(number=number, name=name) for number, name in icons])
    assert read_captions(reply, 4) == ("car", None, "", None)


async def test_icons_that_a_reply_leaves_out_are_asked_for_again() -> None:
    replies = (Say(said("car", "unknown")), Say(said("cat")))
    async with serving(ModelServer(*replies)) as server:
        role = captioner(server)
        await role.start()
        assert await ask(role, [1, 2, 3]) == ["car", "", ""]
        assert await ask(role, [1, 2, 3]) == ["car", "", "cat"]
        assert await ask(role, [1, 2, 3]) == ["car", "", "cat"]
        await role.stop()
    assert len(server.received) == 2


def test_memory_is_bounded_and_keeps_what_is_used() -> None:
    looks = np.concatenate([looks_of(drawing(number), [Box(x1=0, y1=0, x2=SIDE, y2=SIDE)]) for number in range(4)])
    memory = CaptionCache(3)
    memory.add(looks[:3], ["0", "1", "2"])
    assert memory.find(looks[[0, 2]]) == ["0", "2"]
    memory.add(looks[3:], ["3"])
    assert len(memory) == 3
    assert memory.find(looks) == ["0", None, "2", "3"]


# ---------------------------------------------------------------- what an icon looks like
def on_a_page(number: int, side: int = SIDE, *, inverted: bool = False) -> Rgb:
    """A drawing with 30 pixels of white, or of black, on all sides."""
    rgb = np.full((side + 60, side + 60, 3), 255, np.uint8)
    rgb[30:-30, 30:-30] = cv2.resize(drawing(number), (side, side), interpolation=cv2.INTER_AREA)
    return 255 - rgb if inverted else rgb


@pytest.mark.parametrize("scale", [0.6, 0.8, 1.7])
@pytest.mark.parametrize("quality", [75, 95])
def test_scale_jpeg_colour_and_a_loose_box_do_not_change_an_icon(scale: float, quality: int) -> None:
    plain = Box(x1=30, y1=30, x2=30 + SIDE, y2=30 + SIDE)
    others = np.concatenate([looks_of(on_a_page(number), [plain]) for number in range(12)])
    side = round(SIDE * scale)
    loose = Box(x1=29, y1=31, x2=31 + side, y2=30 + side)
    for number in range(12):
        shown = on_a_page(number, side, inverted=True)
        done, data = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, quality])
        assert done
        seen = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        index, same = nearest(looks_of(seen, [loose]), others)
        assert (int(index[0]), bool(same[0])) == (number, True)


def test_what_is_plain_or_outside_looks_like_nothing() -> None:
    rgb = np.full((100, 100, 3), 90, np.uint8)
    looks = looks_of(rgb, [Box(x1=10, y1=10, x2=50, y2=50), Box(x1=300, y1=300, x2=340, y2=340)])
    assert not looks.any()
    assert first_of_each(looks) == []
    assert not nearest(looks, looks)[1].any()


def test_a_contact_sheet_takes_a_quarter_of_the_tokens_of_single_pictures() -> None:
    sheet = contact_sheet(drawing(1), [Box(x1=0, y1=0, x2=SIDE, y2=SIDE)] * MOST_CAPTIONS)
    picture = cv2.imdecode(np.frombuffer(sheet.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    height, width = picture.shape[:2]
    assert (width, height) == (COLUMNS * CELL, MOST_CAPTIONS // COLUMNS * CELL)
    dialect = dialect_named("qwen3-vl")
    together = dialect.image_tokens(Size(width=width, height=height))
    alone = MOST_CAPTIONS * dialect.image_tokens(Size(width=SIDE, height=SIDE))
    assert (together, alone) == (384, 1536)


def tile(number: int, side: int, colour: tuple[int, int, int], shift: int = 0, quality: int = 95) -> tuple[Rgb, Box]:
    """A drawing in white on a coloured disc, on a dark page, as JPEG, and a box that is ``shift`` pixels off."""
    rgb = np.full((side + 60, side + 60, 3), (20, 30, 50), np.uint8)
    middle = (side + 60) // 2
    cv2.circle(rgb, (middle, middle), side // 2, colour, -1, cv2.LINE_AA)
    room = side // 2
    mask = cv2.resize(drawing(number), (room, room), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    at = slice(middle - room // 2, middle - room // 2 + room)
    ink = (255 - 255 * mask) / 200
    rgb[at, at] = (rgb[at, at] * (1 - np.minimum(ink, 1)) + 255 * np.minimum(ink, 1)).astype(np.uint8)
    done, data = cv2.imencode(".jpg", rgb, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done
    seen = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return seen, Box(x1=30 + shift, y1=30, x2=30 + side + shift, y2=30 + side)


@pytest.mark.parametrize("colour", [(90, 160, 250), (235, 140, 110), (150, 150, 160)])
def test_glyphs_on_discs_are_told_apart_and_known_again(colour: tuple[int, int, int]) -> None:
    shown = [tile(number, 96, colour) for number in range(12)]
    looks = np.concatenate([looks_of(rgb, [box]) for rgb, box in shown])
    assert first_of_each(looks) == list(range(12))
    for number in range(12):
        rgb, box = tile(number, 84, (200, 120, 60), shift=1, quality=80)
        index, same = nearest(looks_of(rgb, [box]), looks)
        assert (int(index[0]), bool(same[0])) == (number, True)
