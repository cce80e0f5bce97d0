"""Carry out batches of plain-language goals on fleets of Android phones, in parallel, with open weights only.

::

    from manyhands import Fleet

    async with Fleet(phones=["virtual:4"], mllm_url=["rehearsed"]) as fleet:
        result = await fleet.run("Turn on dark mode.")

What is named here is the public API; everything else may change from one version to the next. Names are imported when
they are first used: a machine that only has phones has neither Ray nor OCR.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manyhands.deploy.fleet.fleet import Fleet
    from manyhands.deploy.settings.fleet import FleetSettings
    from manyhands.deploy.settings.loading import load_settings
    from manyhands.protocol.base import Ending
    from manyhands.protocol.errors import BadInput, ManyhandsError
    from manyhands.protocol.runs import EpisodeResult, RunProgress, RunSummary
    from manyhands.protocol.tasks import Limits, TaskSpec

_MODULES = {
    "BadInput": "manyhands.protocol.errors",
    "Ending": "manyhands.protocol.base",
    "EpisodeResult": "manyhands.protocol.runs",
    "Fleet": "manyhands.deploy.fleet.fleet",
    "FleetSettings": "manyhands.deploy.settings.fleet",
    "Limits": "manyhands.protocol.tasks",
    "ManyhandsError": "manyhands.protocol.errors",
    "RunProgress": "manyhands.protocol.runs",
    "RunSummary": "manyhands.protocol.runs",
    "TaskSpec": "manyhands.protocol.tasks",
    "load_settings": "manyhands.deploy.settings.loading",
}

__all__ = [
    "BadInput",
    "Ending",
    "EpisodeResult",
    "Fleet",
    "FleetSettings",
    "Limits",
    "ManyhandsError",
    "RunProgress",
    "RunSummary",
    "TaskSpec",
    "load_settings",
]


def __getattr__(name: str) -> Any:
    """Import a name of the public API when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public API, imported or not."""
    return sorted({*globals(), *__all__})
