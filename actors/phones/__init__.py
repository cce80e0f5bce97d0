"""Phones of a host, for all holders of leases.

``gateway``, ``leases``, ``locks``                    leases, queues and action keys: ``actors.interfaces.Gateway``
``directory``                                         which phones exist: ``actors.interfaces.PhoneDirectory``
``adb``                                               phones behind an adb server: ``actors.interfaces.PhoneTransport``
``screenshots``                                       screenshots over any transport's frames
``settling``                                          when a screen is at rest, and what a screen shows again

The path of one action (``send`` in ``actors.episode.stages.act`` has journalled and synced it before):

1. ``PhoneGateway.perform_and_capture`` waits for its turn on the phone (``locks``). Once an action has begun, it
   continues until it has a receipt, even if its caller is gone.
2. ``Leases.begin`` checks that the lease is the newest and the key is new, and ``Leases.finish`` records the receipt,
   in one transaction each. A key that was seen before gets its first receipt, and the phone is not touched.
3. ``AdbPhone.perform`` turns the atom into commands of the phone's shell (``adb.commands``), quoted in one place
   (``adb.shell``). It sends the commands as one line that begins with ``MH_KEY='<key>'``. A shell ignores this
   assignment; the ledger of a virtual phone records it. The ``Receipt`` is ``done``, ``refused`` (not sent) or
   ``unknown`` (perhaps sent).
4. ``Screenshots.capture`` waits until the screen is at rest (``settling``) and takes one frame. If the capture fails,
   the receipt still counts, and the next step requests a picture itself.
"""

from __future__ import annotations

from manyhands.actors.phones.gateway import PhoneGateway
from manyhands.actors.phones.settings import GatewaySettings

__all__ = ["GatewaySettings", "PhoneGateway"]
