"""Find the virtual phones of a run, describe them as virtual, and save their ledgers for the audit."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Collection
from pathlib import Path

from manyhands.actors.interfaces import PhoneDirectory
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.protocol.errors import CallError, PhoneError, store_error
from manyhands.protocol.phones import STAND_IN_PRODUCT, PhoneInfo, file_name_of
from manyhands.protocol.runs.run_cipher import cipher_of
from manyhands.protocol.utilities import secure_files

PROVIDER = "content://manyhands.simulator"
"""The content provider of virtual phones: it lists apps, resets the phone and gives the ledger."""
LEDGER_TIMEOUT_S = 20.0
VIRTUAL_SOURCE = "virtual phones; none of their figures is a figure of real phones"
CANNED_PHONES_SOURCE = (
    "canned phones, which show a few fixed pictures in turn; none of their figures is a figure of real phones"
)
WEB_PHONES_SOURCE = "web phones, pages of a desktop's browser; none of their figures is a figure of real phones"
_CANNED_PRODUCT = "manyhands_canned_phone"
_WEB_PRODUCT = "manyhands_web_phone"
_log = logging.getLogger(__name__)


def is_virtual(phone: PhoneInfo) -> bool:
    """Return whether a phone is a virtual one, however it was started."""
    return phone.product.startswith(STAND_IN_PRODUCT)


def describe_phones(virtual: Collection[PhoneInfo], all_phones: int) -> str:
    """Describe the virtual phones among the phones of a run; return an empty text if no phone is virtual."""
    canned, web = (sum(phone.product == product for phone in virtual) for product in (_CANNED_PRODUCT, _WEB_PRODUCT))
    drawn = len(virtual) - canned - web
    kinds = ((drawn, VIRTUAL_SOURCE), (canned, CANNED_PHONES_SOURCE), (web, WEB_PHONES_SOURCE))
    return "; ".join(
        source if count == all_phones else f"{count} of the {all_phones} phones are {source}"
        for count, source in kinds
        if count
    )


class VirtualPhones:
    """Know which phones of a run are virtual. The directory's list of phones says this, so no phone need be asked."""

    def __init__(self, directory: PhoneDirectory) -> None:
        self._directory = directory
        self._found: dict[str, PhoneInfo] = {}

    @property
    def serials(self) -> Collection[str]:
        """Return the serials of the phones that are known to be virtual."""
        return self._found.keys()

    async def find(self, serials: Collection[str]) -> bool:
        """Look for virtual phones among ``serials``, and return whether any was not known before.

        A virtual phone that is away is not found yet.
        """
        listed = await self._directory.phones()
        phones = {phone.serial: phone for phone in listed if phone.serial in serials and is_virtual(phone)}
        new = phones.keys() - self._found.keys()
        self._found |= phones
        return bool(new)

    async def find_later(self, serials: Collection[str]) -> bool:
        """Do the same as ``find``, after a batch. If the directory does not answer, log that and return False.

        An error here must not lose the results of the batch.
        """
        try:
            return await self.find(serials)
        except (PhoneError, CallError) as error:
            _log.warning("whether phones that came later are virtual is not known: %s", error)
            return False

    def source(self, all_phones: int) -> str:
        """Describe the virtual phones of the run; empty if there is none."""
        return describe_phones(self._found.values(), all_phones)

    def adapt(self, settings: FleetSettings) -> FleetSettings:
        """Return settings that let virtual phones, if there are any, list their apps and be reset."""
        if not self._found:
            return settings
        return settings.model_copy(update={"label_providers": (f"{PROVIDER}/apps",), "reset_provider": PROVIDER})

    async def save_ledgers(self, folder: Path) -> None:
        """Write what each virtual phone received to ``ledgers/<serial>.json``.

        A phone that is lost leaves no new ledger. On a full disk, the earlier ledgers stay. The audit reports missing
        ledgers.
        """
        if self._found:
            await asyncio.gather(*(self._save_ledger(serial, folder) for serial in self._found))

    async def _save_ledger(self, serial: str, folder: Path) -> None:
        try:
            async with asyncio.timeout(LEDGER_TIMEOUT_S):
                ledger = await self._directory.look(serial, f"{PROVIDER}/ledger")
        except (PhoneError, CallError, TimeoutError) as error:
            _log.warning("%s left no ledger, the audit cannot judge it: %s", serial, error)
            return
        if "rows" not in ledger:
            _log.warning("%s answered without a ledger, the audit cannot judge it", serial)
            return
        path = folder / "ledgers" / f"{file_name_of(serial)}.json"
        content = json.dumps({"serial": serial, "rows": ledger["rows"]}, ensure_ascii=False).encode()
        try:
            secure_files.make_folder(path.parent, parents=False)
            secure_files.replace_bytes(path, cipher_of(folder).encrypt(content))
        except OSError as error:
            _log.warning("%s", store_error(error, f"{path} is not as new as the journals"))
