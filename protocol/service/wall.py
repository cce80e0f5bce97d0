"""Define the wall: all phones of a fleet, with small pictures of their screens, as they change."""

from __future__ import annotations

from manyhands.protocol.service.access import ServiceAnswer
from manyhands.protocol.service.fleet import PhoneStatus
from manyhands.protocol.service.instants import Instant


class WallPhone(PhoneStatus):
    """Show a phone with its task and its screen."""

    goal: str = ""
    """The goal of its task; empty if it has none."""
    batch: str = ""
    """The batch of its task; empty if it has none."""
    owner: str = ""
    """Who submitted its task; empty if it has none."""
    thumbnail: str | None = None
    """Its screen as a JPEG of 180 pixels' width, in Base64. None if this stream has sent the picture of this ``screen``
    already, or if the picture is not written yet: then it comes in a later update."""


class WallUpdate(ServiceAnswer):
    """Show the phones that changed since the last update of the same stream."""

    at: Instant
    """When the phones were looked at, in Unix seconds by the service's clock."""
    is_whole: bool
    """Whether these are all phones: the first update of a stream. All that was shown before is replaced."""
    phones: tuple[WallPhone, ...]
    """The phones that changed, each with all of its fields, in the order of their serials."""
    gone: tuple[str, ...] = ()
    """The serials of phones that the fleet does not have any more."""
