"""A page of a real Chromium as a phone's screen."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from manyhands.simulator.phone.device import DeviceLost
from manyhands.simulator.phone.views import ViewNode
from tests.simulator.web.conftest import PAGES

if TYPE_CHECKING:
    from manyhands.simulator.web.browser import WebBrowser
    from manyhands.simulator.web.screen import WebScreen

INDEX, SECOND = ((PAGES / name).as_uri() for name in ("index.html", "second.html"))


@pytest.fixture
async def screen(browser: WebBrowser) -> AsyncIterator[WebScreen]:
    from manyhands.simulator.web.screen import WebScreen

    screen = WebScreen(browser, 720, 1600, 280)
    await screen.start(INDEX)
    yield screen
    await screen.stop()


async def view(screen: WebScreen, name: str) -> ViewNode:
    """The one view with this text, description or id."""
    (found,) = (
        node for node in (await screen.views()).walk() if name in (node.text, node.description, node.resource_id)
    )
    return found


async def tap(screen: WebScreen, name: str) -> None:
    left, top, right, bottom = (await view(screen, name)).bounds
    await screen.tap((left + right) // 2, (top + bottom) // 2)


async def shows(screen: WebScreen, wanted: str) -> None:
    """Wait until the page has this title."""
    async with asyncio.timeout(20):
        while await title(screen) != wanted:
            await asyncio.sleep(0.01)


async def title(screen: WebScreen) -> str:
    return (await screen.facts()).title


async def test_a_picture_has_the_phones_size(screen: WebScreen) -> None:
    picture = Image.open(io.BytesIO(await screen.screenshot()))
    assert picture.size == (720, 1600)
    assert picture.getpixel((700, 5)) == (255, 255, 255)
    left, top, right, bottom = (await view(screen, "circle")).bounds
    assert picture.getpixel(((left + right) // 2, (top + bottom) // 2)) == (0, 0, 0)


async def test_views_are_what_android_would_tell(screen: WebScreen) -> None:
    root = await screen.views()
    assert (root.kind, root.text, root.bounds, root.scrollable) == (
        "android.webkit.WebView",
        "Shop",
        (0, 0, 720, 1600),
        True,
    )
    texts = [node.text for node in root.walk()]
    assert "Hidden text" not in texts
    assert "Below" not in texts
    name, secret, agree = [await view(screen, found) for found in ("name", "Secret", "agree")]
    assert (name.kind, name.description, name.clickable, name.password) == (
        "android.widget.EditText",
        "Name",
        True,
        False,
    )
    assert (secret.text, secret.password) == ("•••", True)
    assert (agree.kind, agree.text, agree.checkable, agree.checked) == ("android.widget.CheckBox", "Agree", True, True)
    assert (await view(screen, "Size")).kind == "android.widget.Spinner"
    assert not (await view(screen, "Off")).enabled
    assert (await view(screen, "box")).scrollable
    assert (await view(screen, "circle")).clickable


async def test_taps_reach_buttons_and_drawings(screen: WebScreen) -> None:
    await tap(screen, "Go")
    assert await title(screen) == "gone"
    await tap(screen, "circle")
    assert await title(screen) == "circle"


async def test_texts_of_two_scripts(screen: WebScreen) -> None:
    assert (await screen.facts()).selection is None
    await tap(screen, "name")
    await screen.type_text("it's 5%")
    await screen.commit_text("你好")
    assert (await view(screen, "name")).text == "it's 5%你好"
    assert (await screen.facts()).selection == (9, 9)
    assert (await view(screen, "name")).focused
    await screen.clear_field()
    await screen.press("a")
    assert (await screen.facts()).page == {"size": "Small", "name": "a"}


async def test_a_list_is_drawn_and_chosen_from(screen: WebScreen) -> None:
    await tap(screen, "Size")
    choices = {node.text: node for node in (await screen.views()).walk() if node.kind.endswith("RadioButton")}
    assert {name: (node.checked, node.enabled) for name, node in choices.items()} == {
        "Small": (True, True),
        "Large": (False, True),
        "Huge": (False, False),
    }
    await tap(screen, "Huge")
    await tap(screen, "Large")
    assert (await screen.evaluate("size.value")) == "Large"
    await tap(screen, "Size")
    assert await screen.back()
    assert (await view(screen, "Size")).text == "Large"


async def test_a_swipe_scrolls_what_lies_below(screen: WebScreen) -> None:
    left, top, right, bottom = (await view(screen, "box")).bounds
    await screen.swipe((left + right) // 2, bottom - 10, (left + right) // 2, top + 10, 200)
    assert await screen.evaluate("document.getElementById('box').scrollTop") > 20
    assert await screen.evaluate("scrollY") == 0
    await screen.swipe(360, 1500, 360, 700, 200)
    assert await screen.evaluate("scrollY") > 100


async def test_links_open_in_the_one_tab_and_back_returns(screen: WebScreen) -> None:
    assert not await screen.back()
    await tap(screen, "Second page")
    await shows(screen, "Second")
    assert await screen.back()
    assert await title(screen) == "Shop"
    assert not await screen.back()


async def test_back_ends_when_the_page_before_is_there(screen: WebScreen) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        colour = (await reader.readuntil(b"\r\n\r\n")).split()[1].strip(b"/")
        await asyncio.sleep(0.5)  # a slow server; the test itself waits for nothing
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
        writer.write(b"%s<body style='background: %s'>" % (head, colour))
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1") as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await screen.start(f"{address}/red")
        await screen.open(f"{address}/blue")
        assert await screen.back()
        assert Image.open(io.BytesIO(await screen.screenshot())).getpixel((360, 800)) == (255, 0, 0)
        await screen.stop()


async def test_a_page_that_cannot_be_read_is_told_at_once(screen: WebScreen) -> None:
    await screen.evaluate("Object.defineProperty(document, 'title', { get() { throw new Error('no title here') } })")
    for read in (screen.facts, screen.views):
        with pytest.raises(DeviceLost, match=r"720x1600 .* no title here; reset the phone"):
            await read()
    await screen.start(INDEX)
    assert await title(screen) == "Shop"


async def test_a_screen_that_chromium_refuses_does_not_start(browser: WebBrowser) -> None:
    from manyhands.simulator.web.screen import WebScreen

    screen = WebScreen(browser, 20_000_000, 1600, 160)
    with pytest.raises(DeviceLost, match=r"20000000x1600 .* a new page: .* CHROMIUM"):
        await screen.start(INDEX)
    await screen.stop()


async def test_what_is_not_allowed_does_not_load(screen: WebScreen) -> None:
    from manyhands.simulator.web.screen import PageFailed

    for url in ("http://shop.example/", "http://192.0.2.1/", "file:///etc/hostname"):
        with pytest.raises(PageFailed, match="ERR_BLOCKED_BY_CLIENT"):
            await screen.open(url)
    await screen.open(INDEX)
    with pytest.raises(PageFailed, match="no such thing"):
        await screen.evaluate("() => { throw new Error('no such thing') }")


async def test_nothing_stays_after_a_start(screen: WebScreen) -> None:
    await screen.evaluate("localStorage.setItem('left', '1')")
    await screen.open(SECOND)
    await screen.start(INDEX)
    assert await screen.evaluate("localStorage.getItem('left')") is None
    assert not await screen.back()


async def test_a_crashed_page_is_lost_and_others_are_not(screen: WebScreen, browser: WebBrowser) -> None:
    from manyhands.simulator.web.screen import PageFailed, WebScreen

    other = WebScreen(browser, 360, 800, 140)
    await other.start(SECOND)
    lost = asyncio.create_task(screen.lost())
    with pytest.raises((DeviceLost, PageFailed)):
        await screen.open("chrome://crash")
    await asyncio.wait_for(lost, 10)
    with pytest.raises(DeviceLost):
        await screen.screenshot()
    assert await title(other) == "Second"
    await screen.start(INDEX)
    assert await title(screen) == "Shop"
    assert browser.starts == 1
    await other.stop()
