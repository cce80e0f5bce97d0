"""The settings of a gateway. They can be pickled; the gateway's ``start`` opens the database."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from manyhands.protocol.base import Input

STATE_DIR = Path("~/.local/state/manyhands")


class GatewaySettings(Input):
    """Settings of a :class:`~manyhands.actors.phones.gateway.PhoneGateway`. Times are in seconds."""

    state_dir: Path = STATE_DIR
    """The folder of the database in which all runs on this host keep leases and action keys."""
    max_calls: int = Field(default=512, ge=1)
    """The most calls admitted at a time. Further calls are refused as Overloaded."""
    keep_keys_s: float = Field(default=7 * 86400.0, gt=0)
    """How long action keys and receipts are kept."""
