"""Inject faults into virtual phones, to show that a run survives them."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass

from manyhands.protocol.errors import BadInput
from manyhands.simulator.adbd import PhoneEndpoint

log = logging.getLogger(__name__)

DEFAULT_INPUTS = 10
LISTEN_AGAIN_S = 0.5


@dataclass(frozen=True, slots=True)
class Cut:
    """Describe a cut: a phone's connections drop once, for ``seconds``, after ``inputs`` lines of input."""

    seconds: float
    inputs: int = DEFAULT_INPUTS

    @classmethod
    def parse(cls, text: str) -> Cut:
        """Parse ``SECONDS`` or ``SECONDS@INPUTS``. Raises ValueError."""
        found = re.fullmatch(r"(\d{1,4}(?:\.\d{1,3})?)(?:@(\d{1,5}))?", text)
        if found is None or float(found[1]) == 0:
            raise ValueError(f"{text!r} is not SECONDS or SECONDS@INPUTS, such as 6@10")
        return cls(float(found[1]), int(found[2] or DEFAULT_INPUTS))


async def cut_once(endpoint: PhoneEndpoint, cut: Cut) -> None:
    """Cut the phone off once. To an adb server this looks like a phone that loses its network for a while."""
    await endpoint.phone.ledger.has(cut.inputs)
    serial = endpoint.serial
    log.warning("%s is cut off for %g s after %d inputs", serial, cut.seconds, cut.inputs)
    await endpoint.close()
    await asyncio.sleep(cut.seconds)
    await listen_again(endpoint)


async def listen_again(endpoint: PhoneEndpoint) -> None:
    """Make a closed phone listen on its port again, as soon as the port is free."""
    while True:
        try:
            await endpoint.open()
        except BadInput as error:  # the system gave the port to another connection in the meantime
            log.warning("%s cannot come back yet: %s", endpoint.serial, error)
            await asyncio.sleep(LISTEN_AGAIN_S)
        else:
            log.warning("%s listens again", endpoint.serial)
            return
