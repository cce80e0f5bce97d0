"""Files of shared storage, as checks ask for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.state import MOST_CONTENT, DeviceState
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.tasks.state_tests import FileState
from manyhands.simulator.fleet import virtual_phones
from tests.actors.phones.world import within, world

REPORT = "Documents/it's a 100% réport.txt"


async def test_files_are_told(adb_server: tuple[str, int], tmp_path: Path) -> None:
    content = "first line\n7 regular file\nä".encode() + b"\xff"
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        files = place.fleet.endpoints[0].phone.files
        files.write(f"/sdcard/{REPORT}", content)
        files.write("/sdcard/Download/long.bin", b"x" * (MOST_CONTENT + 1))
        files.write("/sdcard/Download/empty", b"")

        async def told(path: str) -> object:
            source = FileState(path=path, exists=True).source
            return (await place.gateway.state(place.lease, source, within()))["file"]

        assert await told(REPORT) == {
            "exists": True,
            "size": len(content),
            "content": content.decode("utf-8", "replace"),
        }
        assert await told("Download/empty") == {"exists": True, "size": 0, "content": ""}
        assert await told("Download/long.bin") == {
            "exists": True,
            "size": MOST_CONTENT + 1,
            "content": "x" * MOST_CONTENT,
        }
        assert await told("Download") == {"exists": True, "size": 4096, "content": None}
        nothing = {"exists": False, "size": None, "content": None}
        assert await told("Download/none") == await told("Download/empty/none") == await told("-c") == nothing
        assert place.ledger == ()


@pytest.mark.parametrize(
    "path", ["", "/system/build.prop", "%2Fetc%2Fhosts", "a/../../data", "%2e%2e/data", "a%00b", "%ff"]
)
async def test_a_path_that_leaves_shared_storage_is_refused(
    adb_server: tuple[str, int], tmp_path: Path, path: str
) -> None:
    async with world(adb_server, tmp_path) as place:
        with pytest.raises(StateUnavailable, match=r"a path is relative|not UTF-8"):
            await place.gateway.state(place.lease, f"phone://file/{path}", within())


async def test_a_file_that_may_not_be_read_is_not_called_absent() -> None:
    async def ask(line: str) -> ShellResult:
        return ShellResult(b"", b"stat: '/sdcard/Android/data/x': Permission denied\n", 1)

    with pytest.raises(StateUnavailable, match="Permission denied"):
        await DeviceState(ask).read("phone://file/Android/data/x")


@given(st.text(max_size=40))
async def test_any_path_is_asked_below_shared_storage_or_refused(path: str) -> None:
    async def ask(line: str) -> ShellResult:
        assert line.startswith(("stat -c '%s %F' /sdcard/", "stat -c '%s %F' '/sdcard/"))
        return ShellResult(b"", b"stat: No such file or directory", 1)

    try:
        state = await DeviceState(ask).read(f"phone://file/{path}")
    except StateUnavailable:
        return
    assert not state["file"]["exists"]
