"""Take leases on phones and give them back, each by a deadline. Each attempt to take one updates the phone's health."""

from __future__ import annotations

import logging

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.batch import Batch
from manyhands.actors.dispatch.deadlines import await_answer, finish
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.interfaces import Gateway
from manyhands.protocol.errors import ManyhandsError, PhoneBusy, RunCopied
from manyhands.protocol.phones import Lease, holder_name

_PARTING_S = 2.0
"""How long a run that ends waits for a lease that it has requested. After that the request is cancelled."""
logger = logging.getLogger(__name__)


class PhoneLeases:
    """Takes leases from the gateway, which alone decides who may touch a phone."""

    def __init__(self, gateway: Gateway, settings: DispatchSettings, clock: Clock) -> None:
        self._gateway = gateway
        self._run = f"{settings.run} ({settings.nonce})"
        self._folder_id = settings.folder_id
        self._copied: set[str] = set()
        self._lease_s = settings.episode.lease_s
        self._attach_s = settings.attach_s
        self._clock = clock

    async def take(self, serial: str, holder: str, batch: Batch, limit_s: float | None = None) -> Lease | None:
        """Return a lease on the phone.

        If the phone cannot be leased, return None; the batch's health then has the reason.

        ``limit_s``: replaces ``attach_s`` if it is shorter. A holder that already has a lease gets a new one, which
        voids the old one.
        """
        try:
            lease = await self._attach(serial, holder, min(self._attach_s, limit_s or self._attach_s))
        except PhoneBusy as error:
            if isinstance(error, RunCopied) and serial not in self._copied:
                self._copied.add(serial)
                logger.warning("%s", error)
            batch.health.held(serial, self._clock.now(), str(error))
        except ManyhandsError as error:  # also failures of the gateway itself: its disk, its restart
            batch.health.lost(serial, self._clock.now(), str(error))
        except Exception as error:  # a defect that one phone meets must not end the batch
            logger.exception("attaching %s failed by a defect", serial)
            batch.health.lost(serial, self._clock.now(), f"{type(error).__name__}: {error}")
        else:
            batch.health.attached(serial)
            batch.changed()
            return lease
        batch.changed()
        return None

    async def give_back(self, lease: Lease) -> None:
        """Give the phone back, even while the run is being cancelled."""
        await finish(self._detach(lease))

    async def _attach(self, serial: str, holder: str, limit_s: float) -> Lease:
        """Attach the phone.

        If this method is cancelled meanwhile, a lease that still arrives is given back. Otherwise the phone would stay
        taken until the lease expired. Raises what the gateway raises, and DeadlinePassed.
        """
        attaching = self._gateway.attach(serial, holder_name(holder, self._folder_id), self._lease_s, self._run)
        what = f"attaching {serial}"
        return await await_answer(attaching, limit_s, what, parting_s=_PARTING_S, too_late=self._detach)

    async def _detach(self, lease: Lease) -> None:
        lease = lease.model_copy(update={"holder": holder_name(lease.holder, self._folder_id)})
        try:
            await await_answer(self._gateway.detach(lease), self._attach_s, f"giving {lease.serial} back")
        except ManyhandsError as error:
            logger.warning("%s was not given back, its lease will run out: %s", lease.serial, error)
        except Exception:  # a defect that one phone meets must not end the batch
            logger.exception("%s was not given back by a defect, its lease will run out", lease.serial)
