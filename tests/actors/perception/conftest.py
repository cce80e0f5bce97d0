"""One OCR engine for the session, made where no connection can be opened."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator

import pytest

from manyhands.actors.perception.backends import Backends
from manyhands.actors.perception.icons.edges import EdgeIconFinder, EdgeIconSettings
from manyhands.actors.perception.service import PerceptionService
from manyhands.actors.perception.settings import PerceptionSettings
from manyhands.actors.perception.text.rapid import RapidTextSettings
from manyhands.actors.perception.text.reader import LineReader
from tests.actors.perception.pictures import Page
from tests.actors.perception.text.readers import rapid_reader


@pytest.fixture(scope="session")
def reader() -> LineReader:
    """Made and used once while connecting is an error: the models come from the wheel."""

    def forbidden(*_: object) -> None:
        raise AssertionError("the text reader opened a connection")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", forbidden)
        patch.setattr(socket, "getaddrinfo", forbidden)
        made = rapid_reader(RapidTextSettings())
        page = Page(320, 96)
        page.text("ready", (40, 30), 36)
        assert [text.content for text in made.read(page.rgb)] == ["ready"]
    return made


@pytest.fixture(scope="session")
def finder() -> EdgeIconFinder:
    return EdgeIconFinder(EdgeIconSettings())


@pytest.fixture
async def service(reader: LineReader, finder: EdgeIconFinder) -> AsyncIterator[PerceptionService]:
    """A service with one worker, which uses the session's engine."""
    made = PerceptionService(PerceptionSettings(workers=1), lambda _: Backends(text=reader, icons=finder))
    await made.start()
    yield made
    await made.stop()
