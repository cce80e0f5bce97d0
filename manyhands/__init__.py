"""Carry out batches of plain-language goals on fleets of Android phones, in parallel, with open weights only.

::

    from manyhands import Fleet

    async with Fleet(phones=["virtual:4"], mllm_url=["rehearsed"]) as fleet:
        result = await fleet.run("Turn on dark mode.")

What is named here is the public API (docs/api.md); everything else may change from one version to the next. Names are
imported when they are first used: a machine that only has phones has neither Ray nor OCR.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manyhands.actors.seams import Phone as Phone, PhoneTransport as PhoneTransport
    from manyhands.deploy.fleet.companions import Companion as Companion
    from manyhands.deploy.fleet.fleet import Fleet as Fleet
    from manyhands.deploy.fleet.tasks import read_tasks as read_tasks
    from manyhands.deploy.fleet.readers import Readers as Readers
    from manyhands.deploy.settings.fleet import (
        FleetSettings as FleetSettings,
        RehearsalOptions as RehearsalOptions,
        RoleModel as RoleModel,
        VirtualOptions as VirtualOptions,
    )
    from manyhands.deploy.settings.loading import load_settings as load_settings
    from manyhands.protocol.base import Ending as Ending
    from manyhands.protocol.errors import (
        BadInput as BadInput,
        CallError as CallError,
        ManyhandsError as ManyhandsError,
        ModelError as ModelError,
        PerceptionError as PerceptionError,
        PhoneError as PhoneError,
        StoreError as StoreError,
    )
    from manyhands.protocol.predicates import AllOf as AllOf, AnyOf as AnyOf, Not as Not, Some as Some, Value as Value
    from manyhands.protocol.progress import RunProgress as RunProgress
    from manyhands.protocol.runs import (
        EpisodeResult as EpisodeResult,
        EpisodeSettings as EpisodeSettings,
        RunSummary as RunSummary,
    )
    from manyhands.protocol.tasks import Check as Check, Limits as Limits, Rubric as Rubric, TaskSpec as TaskSpec

_MODULES = {
    name: module
    for module, names in {
        "manyhands.actors.seams": ("Phone", "PhoneTransport"),
        "manyhands.deploy.fleet.companions": ("Companion",),
        "manyhands.deploy.fleet.fleet": ("Fleet",),
        "manyhands.deploy.fleet.tasks": ("read_tasks",),
        "manyhands.deploy.fleet.readers": ("Readers",),
        "manyhands.deploy.settings.fleet": ("FleetSettings", "RehearsalOptions", "RoleModel", "VirtualOptions"),
        "manyhands.deploy.settings.loading": ("load_settings",),
        "manyhands.protocol.base": ("Ending",),
        "manyhands.protocol.errors": (
            "BadInput",
            "CallError",
            "ManyhandsError",
            "ModelError",
            "PerceptionError",
            "PhoneError",
            "StoreError",
        ),
        "manyhands.protocol.predicates": ("AllOf", "AnyOf", "Not", "Some", "Value"),
        "manyhands.protocol.progress": ("RunProgress",),
        "manyhands.protocol.runs": ("EpisodeResult", "EpisodeSettings", "RunSummary"),
        "manyhands.protocol.tasks": ("Check", "Limits", "Rubric", "TaskSpec"),
    }.items()
    for name in names
}
"""The same for the interpreter; a test holds the two against each other."""


def __getattr__(name: str) -> Any:
    """Import a name of the public API when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public API, imported or not."""
    return sorted({*globals(), *_MODULES})
