"""Leases on phones: taken and given back by deadlines, and the phones' health is updated on the way."""

from __future__ import annotations

import logging

from manyhands.actors.clock import Clock
from manyhands.actors.dispatch.batch import Batch
from manyhands.actors.dispatch.calls import answered, to_the_end
from manyhands.actors.dispatch.settings import DispatchSettings
from manyhands.actors.seams import Gateway
from manyhands.protocol.errors import ManyhandsError, PhoneBusy
from manyhands.protocol.phones import Lease

_PARTING_S = 2.0
"""How long a run that ends waits for a lease that is on its way; an attach that takes longer is ended."""
logger = logging.getLogger(__name__)


class PhoneLeases:
    """Takes leases from the gateway, which alone knows who may touch a phone."""

    def __init__(self, gateway: Gateway, settings: DispatchSettings, clock: Clock) -> None:
        self._gateway = gateway
        self._run = f"{settings.run} ({settings.nonce})"
        self._lease_s = settings.episode.lease_s
        self._attach_s = settings.attach_s
        self._clock = clock

    async def take(self, serial: str, holder: str, batch: Batch, limit_s: float | None = None) -> Lease | None:
        """Return a lease on the phone; None if it cannot be had, for a reason that the batch's health then holds.

        ``limit_s``: less time than ``attach_s`` has. The holder of a lease gets a new one, which voids that.
        """
        try:
            lease = await self._attach(serial, holder, min(self._attach_s, limit_s or self._attach_s))
        except PhoneBusy as error:
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
        """Give the phone back, also while the run is being cancelled."""
        await to_the_end(self._detach(lease))

    async def _attach(self, serial: str, holder: str, limit_s: float) -> Lease:
        """Attach the phone. Raises what the gateway raises, DeadlinePassed.

        Cancelled meanwhile, it gives back what it gets: else the phone would stay taken until the lease ran out.
        """
        attaching = self._gateway.attach(serial, holder, self._lease_s, self._run)
        what = f"attaching {serial}"
        return await answered(attaching, limit_s, what, parting_s=_PARTING_S, too_late=self._detach)

    async def _detach(self, lease: Lease) -> None:
        try:
            await answered(self._gateway.detach(lease), self._attach_s, f"giving {lease.serial} back")
        except ManyhandsError as error:
            logger.warning("%s was not given back, its lease will run out: %s", lease.serial, error)
        except Exception:  # a defect that one phone meets must not end the batch
            logger.exception("%s was not given back by a defect, its lease will run out", lease.serial)
