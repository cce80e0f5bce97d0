"""Phones that have none of adb's notions are captured, listed and explained like others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from manyhands.actors.phones import GatewaySettings, PhoneGateway
from manyhands.actors.phones.directory import TransportDirectory
from manyhands.deploy.fleet.phones.phone_selection import choose_phones
from manyhands.protocol.errors import StateUnavailable
from manyhands.protocol.phones import SettleSpec
from manyhands.protocol.screens.actions import Tap
from manyhands.protocol.tasks.predicates import holds
from manyhands.protocol.tasks.task import Check, parse_tasks
from manyhands.protocol.utilities.yaml_document import parse_yaml
from tests.actors.phones.panel import BLANKS, PAGE, PANEL, PanelPhone, Panels
from tests.actors.phones.world import within
from tests.permitted import permitted


@pytest.fixture
async def panels() -> AsyncIterator[Panels]:
    panels = Panels()
    await panels.start()
    yield panels
    await panels.stop()


async def test_a_screen_is_settled_without_adb(panels: Panels, tmp_path: Path) -> None:
    gateway = PhoneGateway(GatewaySettings(state_dir=tmp_path), panels)
    await gateway.start()
    try:
        lease = await gateway.attach(PANEL, "one", 60)
        first, _, _ = await gateway.capture(lease, SettleSpec(), within())
        tap = permitted(key="k", action=Tap(x=5, y=100))
        performed, _, frame = await gateway.perform_and_capture(lease, tap, SettleSpec(), within())
        screenshot = performed.screenshot
        assert screenshot is not None
        assert screenshot.content_id != first.content_id
        assert screenshot.settling is not None
        assert screenshot.settling.settled
        assert screenshot.settling.frames > BLANKS, "frames that still changed were not taken"
        assert screenshot.app == "panel.home"
        again, _, _ = await gateway.capture(lease, SettleSpec(), within())
        assert again.alike == screenshot.content_id
        assert frame is not None
        assert frame.rgb().shape == (640, 360, 3)
        await gateway.detach(lease)
    finally:
        await gateway.stop()


TASK = """
- id: turn
  goal: Turn the page
  check:
    source: {source}
    holds: {{path: page, equals: 1}}
"""


def check_of(source: str) -> Check:
    (task,) = parse_tasks(parse_yaml(TASK.format(source=source), "tasks.yaml"))
    assert task.check is not None
    return task.check


async def test_a_check_is_asked_at_an_address_of_the_transport(panels: Panels, tmp_path: Path) -> None:
    check, foreign = check_of(PAGE), check_of("content://com.example.notes/state")
    gateway = PhoneGateway(GatewaySettings(state_dir=tmp_path), panels)
    await gateway.start()
    try:
        lease = await gateway.attach(PANEL, "one", 60)
        before = await gateway.state(lease, check.source, within())
        await gateway.perform(lease, permitted(key="k", action=Tap(x=5, y=100)), within())
        after = await gateway.state(lease, check.source, within())
        assert [holds(check.holds, state) for state in (before, after)] == [False, True]
        with pytest.raises(StateUnavailable, match="a panel answers its state at panel://desk/page alone"):
            await gateway.state(lease, foreign.source, within())
        await gateway.detach(lease)
    finally:
        await gateway.stop()


async def test_a_late_look_at_any_phone_ends_with_the_next_action(panels: Panels) -> None:
    phone: PanelPhone = panels.phone(PANEL)
    await phone.capture(None)
    await phone.perform(permitted(key="k", action=Tap(x=5, y=100)))
    _, _, frame = await phone.capture(SettleSpec())
    assert np.array_equal(frame.rgb(), phone.frames.rest())
    before = asyncio.all_tasks()
    await phone.perform(permitted(key="l", action=Tap(x=5, y=100)))
    assert len(asyncio.all_tasks()) == len(before) - 1


async def test_phones_are_explained_in_the_words_of_their_transport(panels: Panels) -> None:
    chosen = await choose_phones(TransportDirectory(panels), (), 1)
    assert chosen.serials == (PANEL,)
    assert chosen.left_out == {"desk-panel-4": "offline; turn the panel's key", "desk-panel-5": "unauthorized"}
