"""Treat virtual phones as what they are: name them so, and keep what each received, for the audit."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Collection
from pathlib import Path

from manyhands.actors.seams import PhoneTransport
from manyhands.deploy.fleet.sources import describe_phones, is_virtual
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol import private
from manyhands.protocol.errors import PhoneError, StateUnavailable
from manyhands.protocol.phones import PhoneInfo

PROVIDER = "content://manyhands.simulator"
"""The content provider by which virtual phones list their apps, are reset and give their ledgers."""
LEDGER_TIMEOUT_S = 20.0
_log = logging.getLogger(__name__)


class VirtualAmong:
    """Know which phones of a run are virtual. The transport's list names them: no phone is asked."""

    def __init__(self, transport: PhoneTransport) -> None:
        self._transport = transport
        self._found: dict[str, PhoneInfo] = {}

    async def find(self, serials: Collection[str]) -> bool:
        """Look for virtual phones among ``serials``, and return whether any was not known before.

        One that is away is not found yet.
        """
        listed = await self._transport.phones()
        found = {phone.serial: phone for phone in listed if phone.serial in serials and is_virtual(phone)}
        new = found.keys() - self._found.keys()
        self._found |= found
        return bool(new)

    def source(self, all_phones: int) -> str:
        """Return what the phones of the run were; empty where none was virtual."""
        return describe_phones(self._found.values(), all_phones)

    def adapted(self, settings: FleetSettings) -> FleetSettings:
        """Return settings by which virtual phones, if there are any, list their apps and are reset."""
        if not self._found:
            return settings
        return settings.model_copy(update={"label_providers": (f"{PROVIDER}/apps",), "reset_provider": PROVIDER})

    async def save_ledgers(self, folder: Path) -> None:
        """Write what each virtual phone received to ``ledgers/<serial>.json``. A lost phone has none."""
        if self._found:
            private.make_folder(folder / "ledgers")
            await asyncio.gather(*(self._save_ledger(serial, folder) for serial in self._found))

    async def _save_ledger(self, serial: str, folder: Path) -> None:
        try:
            async with asyncio.timeout(LEDGER_TIMEOUT_S):
                await self._transport.connect(serial)  # it may have been away, and be back since nobody tried it
                ledger = await self._transport.phone(serial).state(f"{PROVIDER}/ledger")
        except (PhoneError, StateUnavailable, TimeoutError) as error:
            _log.warning("%s left no ledger, the audit cannot judge it: %s", serial, error)
            return
        path = folder / "ledgers" / f"{serial.replace(':', '_')}.json"
        private.write_text(path, json.dumps({"serial": serial, "rows": ledger["rows"]}, ensure_ascii=False))
