"""``manyhands schedules``: batches that a service submits again and again."""

from __future__ import annotations

from manyhands.deploy.command_line.lazy import command_group

MODULES = {
    **dict.fromkeys(("list", "next"), f"{__name__}.views"),
    **dict.fromkeys(("add", "pause", "resume", "remove"), f"{__name__}.changes"),
}

app = command_group(
    MODULES,
    help="Batches that a service submits again and again: lists, adds, pauses and removes schedules, shows next times.",
    epilog='Example: manyhands schedules add nightly tasks.yaml --when "0 2 * * MON-FRI" --zone Europe/Berlin.',
    aliases={"unpause": "resume"},
)
