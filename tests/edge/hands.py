"""What a machine with phones does for others: carries out an action for each line of stdin, looks, and says what was.

    python tests/edge/hands.py ADB_PORT STATE_DIR SERIAL LABEL_PROVIDER

Run by the Python of an environment that has only what Manyhands itself and its extra ``edge`` ask for.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from pydantic import TypeAdapter

from manyhands.actors.frames import content_id
from manyhands.actors.phones import GatewaySettings, PhoneGateway
from manyhands.actors.phones.adb import AdbSettings, AdbTransport
from manyhands.protocol.messages import CallContext
from manyhands.protocol.phones import Perform, SettleSpec
from manyhands.protocol.policy import allow
from manyhands.protocol.screens.actions import AtomicAction

ATOM: TypeAdapter[AtomicAction] = TypeAdapter(AtomicAction)


async def work(settings: AdbSettings, serial: str) -> None:
    """Hold the phone until stdin ends."""
    gateway = PhoneGateway(GatewaySettings(state_dir=settings.state_dir), AdbTransport(settings))
    await gateway.start()
    try:
        lease = await gateway.attach(serial, "edge", 60)
        for number, line in enumerate(sys.stdin):
            context = CallContext(episode="edge", step=number, deadline=time.time() + 30)
            action = ATOM.validate_json(line)
            perform = Perform(key=f"edge:{number}", action=action, verdict=allow(action, "a test").id)
            receipt = await gateway.perform(lease, perform, context)
            shot, image, frame = await gateway.capture(lease, SettleSpec(), context)
            said = {
                "receipt": [receipt.status, receipt.detail],
                "size": [shot.size.width, shot.size.height],
                "whole": shot.content_id == image.content_id == content_id(frame.rgb()),
                "jpeg": len(image.jpeg),
            }
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
        await gateway.detach(lease)
    finally:
        await gateway.stop()


if __name__ == "__main__":
    _, port, state, phone, provider = sys.argv
    where = AdbSettings(port=int(port), state_dir=Path(state), label_providers=(provider,))
    asyncio.run(work(where, phone))
