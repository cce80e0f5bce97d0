"""Inject faults into virtual phones, to show that a run survives them."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass

from manyhands.simulator.adbd import PhoneEndpoint

log = logging.getLogger(__name__)

DEFAULT_INPUTS = 10


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
    await endpoint.reopen()
