"""``manyhands memory``: show, export, import, forget and promote what a fleet has learned."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group

MODULES = {
    **dict.fromkeys(("list", "show", "history", "forget", "promote"), f"{__name__}.lessons"),
    **dict.fromkeys(("export", "import"), f"{__name__}.files"),
}

app = command_group(
    MODULES,
    help="Tips and shortcuts that a fleet keeps in a file: shows them, carries them in and out, forgets, promotes.",
    epilog="Example: manyhands memory import fleet.memory --tips tips.txt. What a memory holds: docs/memory.md.",
)
