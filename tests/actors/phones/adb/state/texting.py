"""Sending an SMS on a virtual phone behind adb, as an agent does."""

from __future__ import annotations

from urllib.parse import quote

from manyhands.protocol.screens.actions import Enter, OpenLink, Tap
from manyhands.simulator.phone.virtual_phone import VirtualPhone
from tests.actors.phones.world import World


async def send_sms(place: World, number: str, body: str) -> None:
    """Open the conversation with a number, and send a text that the link brings along."""
    await place.perform("e:open", OpenLink(link=f"sms:{number}?body={quote(body)}"))
    device = place.device
    assert isinstance(device, VirtualPhone)
    typed = body.splitlines()[0]
    box = next(box for text, box in device.layout() if text.startswith(typed))
    await place.perform("e:tap", Tap(x=box.x + box.w // 2, y=box.y + box.h // 2))
    await place.perform("e:send", Enter())
