"""Lease phones for the episodes of sessions, one for each."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence

from manyhands.actors.dispatch.deadlines import await_answer, finish
from manyhands.actors.interfaces import Gateway
from manyhands.protocol.errors import ManyhandsError
from manyhands.protocol.phones import Lease, holder_name
from manyhands.rollouts.environment.messages import ErrorCode, MessageRefused

ATTACH_S = 60.0
"""The time limit for attaching a phone, and for giving it back."""
_log = logging.getLogger(__name__)


class PhonePool:
    """Lease the phone that was used least recently. A phone that cannot be had comes last."""

    def __init__(self, gateway: Gateway, serials: Sequence[str], folder_id: str, lease_s: float) -> None:
        """``folder_id``: of the run folder. ``lease_s``: how long a lease lasts unless it is renewed."""
        self._gateway = gateway
        self._free = deque(serials)
        self._folder_id = folder_id
        self._lease_s = lease_s
        self.size = len(serials)

    async def lease(self, episode: str) -> Lease:
        """Return a lease on a free phone. Raises MessageRefused if none can be had now, with all reasons."""
        holder, reasons = holder_name(episode, self._folder_id), list[str]()
        for _ in range(len(self._free)):
            if not self._free:  # other sessions have taken the rest meanwhile
                break
            serial, lease = self._free.popleft(), None
            try:
                attaching = self._gateway.attach(serial, holder, self._lease_s)
                # A client may leave meanwhile. An attachment that ends is given back; a broken-off one would be held.
                lease = await await_answer(
                    attaching, ATTACH_S, f"attaching {serial}", parting_s=ATTACH_S, too_late=self._gateway.detach
                )
                return lease
            except ManyhandsError as error:
                reasons.append(str(error))
            finally:
                if lease is None:
                    self._free.append(serial)
        why = "; ".join(reasons) or "all are in use"
        raise MessageRefused(f"no phone can be leased now: {why}", ErrorCode.CAPACITY_REACHED)

    async def give_back(self, lease: Lease) -> None:
        """Give a phone back, even while the caller is being cancelled."""
        await finish(self._give_back(lease))

    async def _give_back(self, lease: Lease) -> None:
        try:
            await await_answer(self._gateway.detach(lease), ATTACH_S, f"giving {lease.serial} back")
        except ManyhandsError as error:
            _log.warning("%s was not given back, its lease will run out: %s", lease.serial, error)
        finally:
            self._free.append(lease.serial)
