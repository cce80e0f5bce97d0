"""``manyhands tokens``: who may use a service, and for what."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group

MODULES = dict.fromkeys(("list", "make", "revoke"), f"{__name__}.access")

app = command_group(
    MODULES,
    help="Tokens of a service, one for each person and program: lists, makes and revokes them.",
    epilog="Example: manyhands tokens make kim --role submit. They need a token with the role operate.",
)
