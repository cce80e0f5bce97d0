"""Refuse an action inside this package; outside it is a Receipt with status ``refused``."""

from __future__ import annotations

from manyhands.protocol.errors import ManyhandsError


class Refused(ManyhandsError):
    """The action cannot be carried out on this phone as it is; nothing was sent."""

    code = "refused"
