"""The state that any phone tells its shell: of virtual phones, over a real adb server, without a provider."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.phones.adb.shell import ShellResult
from manyhands.actors.phones.adb.state import PARTS, DeviceState
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.tasks.predicates import Predicate, holds
from manyhands.protocol.tasks.task import TaskSpec
from manyhands.simulator.fleet import virtual_phones
from tests.actors.phones.world import within, world


def predicate(source: str, **written: Any) -> Predicate:
    """A task's check, as its file has it."""
    check = TaskSpec.model_validate({"id": "t", "goal": "g", "check": {"source": source, "holds": written}}).check
    assert check is not None
    return check.holds


@pytest.mark.parametrize(
    ("part", "written", "expected"),
    [
        ("settings", {"path": "settings.global.airplane_mode_on", "equals": "0"}, True),
        ("settings", {"path": "settings.global.airplane_mode_on", "equals": "1"}, False),
        ("app", {"path": "app.front", "equals": "com.manyhands.launcher"}, True),
        ("packages", {"some": "packages", "holds": {"path": "name", "equals": "com.manyhands.notes"}}, True),
        ("packages", {"some": "packages", "holds": {"path": "name", "equals": "com.example.nothing"}}, False),
        ("properties", {"some": "properties", "holds": {"path": "name", "equals": "ro.build.version.sdk"}}, True),
        ("battery", {"path": "battery.percent", "equals": 87}, True),
        ("battery", {"path": "battery.charging", "equals": True}, True),
        ("battery", {"path": "battery.celsius", "at_least": 30}, False),
        ("ui", {"some": "ui", "holds": {"path": "text", "equals": "Notes"}}, True),
        ("ui", {"some": "ui", "holds": {"path": "text", "equals": "Nowhere"}}, False),
    ],
)
async def test_checks_are_answered_without_a_provider(
    adb_server: tuple[str, int], tmp_path: Path, part: str, written: dict[str, Any], expected: bool
) -> None:
    source = f"phone://state/{part}"
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        state = await place.gateway.state(place.lease, source, within())
    assert holds(predicate(source, **written), state) is expected, state


async def test_several_parts_are_read_at_once_and_nothing_is_sent(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        state = await place.gateway.state(place.lease, "phone://state/app/settings/app", within())
        assert place.ledger == ()
    assert set(state) == {"app", "settings"}


async def test_an_unknown_part_is_named_with_those_there_are(adb_server: tuple[str, int], tmp_path: Path) -> None:
    async with world(adb_server, tmp_path, virtual_phones(360, 800)) as place:
        with pytest.raises(StateUnavailable, match=r"no state 'mood'; there are settings, app, apps"):
            await place.gateway.state(place.lease, "phone://state/mood", within())


@given(st.sampled_from(sorted(PARTS)), st.text(max_size=200))
async def test_any_answer_is_read_or_refused(part: str, answer: str) -> None:
    async def ask(line: str) -> ShellResult:
        return ShellResult(answer.encode("utf-8", "replace"), b"", 0)

    try:
        state = await DeviceState(ask).read(f"phone://state/{part}")
    except StateUnavailable:
        return
    assert isinstance(state[part], dict | list)


async def test_lines_of_a_setting_that_has_several_are_no_settings_of_their_own() -> None:
    text = "--- system\nfont_scale=1.0\n--- secure\nnote=one\n  two words\n--- global\n"

    async def ask(line: str) -> ShellResult:
        return ShellResult(text.encode(), b"", 0)

    state = await DeviceState(ask).read("phone://state/settings")
    assert state == {"settings": {"system": {"font_scale": "1.0"}, "secure": {"note": "one"}, "global": {}}}
