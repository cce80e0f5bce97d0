"""The settings of a gateway. They pickle; databases are opened in ``start``."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from manyhands.protocol.base import Input

STATE_DIR = Path("~/.local/state/manyhands")


class GatewaySettings(Input):
    """Settings of a :class:`~manyhands.actors.phones.gateway.PhoneGateway`. Times are seconds."""

    state_dir: Path = STATE_DIR
    """Where this host's leases and action keys are kept, for all runs."""
    max_calls: int = Field(default=512, ge=1)
    """Calls admitted at a time; more are refused as Overloaded."""
    keep_keys_s: float = Field(default=7 * 86400.0, gt=0)
    """How long action keys and receipts are kept."""
