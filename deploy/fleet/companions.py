"""Start what a run needs beside its own actors: phones, model servers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from manyhands.deploy.fleet.models import rehearsed_roles
from manyhands.deploy.settings.fleet import FleetSettings

Companion = Callable[[FleetSettings, Path], AbstractAsyncContextManager[FleetSettings]]
"""Starts something for as long as its context is open, with its logs in the folder, and gives settings that name it.

Phones that were started are in the settings' ``phones``, model servers in ``mllm_url`` or ``models``: from there on
they are treated as any others.
"""


def companions_of(settings: FleetSettings) -> Sequence[Companion]:
    """Return what starts the stand-ins that settings ask for by a word: ``virtual:N``, ``rehearsed``."""
    # The one place from which a fleet reaches stand-ins, and only where one is asked for.
    asked: list[Companion] = []
    if settings.virtual_phones is not None:
        from manyhands.deploy.stand_ins.virtual_phones import virtual_phones

        asked.append(virtual_phones)
    if rehearsed_roles(settings):
        from manyhands.deploy.stand_ins.rehearsed_model import rehearsed_model

        asked.append(rehearsed_model)
    return asked
