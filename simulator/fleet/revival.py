"""Start devices again whose screens are lost. Meanwhile their phones are away, as phones are that start anew."""

from __future__ import annotations

import asyncio
import logging

from manyhands.simulator.adbd import PhoneEndpoint
from manyhands.simulator.phone.device import DeviceLost, RemoteDevice

log = logging.getLogger(__name__)

START_AGAIN_S = 1.0


async def keep_alive(endpoint: PhoneEndpoint, device: RemoteDevice) -> None:
    """Whenever the device is lost, take its phone away, start the device, and let the phone come back. Never returns.

    Files and the ledger stay.
    """
    while True:
        await device.lost()
        log.warning("%s has lost its screen", endpoint.serial)
        await endpoint.close()
        await _start(endpoint, device)
        await endpoint.reopen()


async def _start(endpoint: PhoneEndpoint, device: RemoteDevice) -> None:
    while True:
        try:
            await device.start()
            return
        except DeviceLost as error:
            log.warning("%s does not start yet: %s", endpoint.serial, error)
            await asyncio.sleep(START_AGAIN_S)
