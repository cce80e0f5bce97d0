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
    from manyhands.actors.interfaces import Phone as Phone, PhoneTransport as PhoneTransport
    from manyhands.service.client.async_client import AsyncClient as AsyncClient
    from manyhands.service.client.http_connection import (
        ServiceAway as ServiceAway,
        ServiceError as ServiceError,
        ServiceRefused as ServiceRefused,
    )
    from manyhands.service.client.sync_client import Client as Client
    from manyhands.deploy.fleet.fleet import Fleet as Fleet
    from manyhands.deploy.fleet.given_parts import ScreenReaders as ScreenReaders, Sidecar as Sidecar
    from manyhands.deploy.settings.fleet import FleetSettings as FleetSettings
    from manyhands.deploy.settings.phones import VirtualOptions as VirtualOptions
    from manyhands.deploy.settings.models import RehearsalOptions as RehearsalOptions, RoleModel as RoleModel
    from manyhands.deploy.settings.loading import load_settings as load_settings
    from manyhands.protocol.base import Ending as Ending
    from manyhands.protocol.runs.results import BatchResult as BatchResult
    from manyhands.protocol.errors import (
        BadInput as BadInput,
        CallError as CallError,
        ManyhandsError as ManyhandsError,
        ModelError as ModelError,
        PerceptionError as PerceptionError,
        PhoneError as PhoneError,
        StoreError as StoreError,
    )
    from manyhands.protocol.tasks.predicates import (
        AllOf as AllOf,
        AnswerTest as AnswerTest,
        AnyOf as AnyOf,
        Not as Not,
        SomeItem as SomeItem,
        Value as Value,
    )
    from manyhands.protocol.tasks.state_tests import StateTest as StateTest
    from manyhands.protocol.runs.progress import RunProgress as RunProgress
    from manyhands.protocol.runs.progress import (
        RunEvent as RunEvent,
        StepBegan as StepBegan,
        TaskBegan as TaskBegan,
        TaskEnded as TaskEnded,
        WaitBegan as WaitBegan,
        WaitEnded as WaitEnded,
    )
    from manyhands.protocol.runs.episode_settings import EpisodeSettings as EpisodeSettings
    from manyhands.protocol.runs.run_summary import GroupResult as GroupResult, RunSummary as RunSummary
    from manyhands.protocol.runs.results import EpisodeResult as EpisodeResult
    from manyhands.protocol.runs.limits import Limits as Limits
    from manyhands.protocol.service.access import AccessRole as AccessRole
    from manyhands.protocol.service.batches import (
        BatchPhase as BatchPhase,
        BatchRequest as BatchRequest,
        BatchStatus as BatchStatus,
        TaskPhase as TaskPhase,
        TaskStatus as TaskStatus,
    )
    from manyhands.protocol.service.events import EventKind as EventKind, ServiceEvent as ServiceEvent
    from manyhands.protocol.service.fleet import PhoneStatus as PhoneStatus, ServiceStatus as ServiceStatus
    from manyhands.protocol.service.schedules import (
        ScheduleRequest as ScheduleRequest,
        ScheduleStatus as ScheduleStatus,
    )
    from manyhands.protocol.service.webhooks import WebhookRequest as WebhookRequest, WebhookStatus as WebhookStatus
    from manyhands.protocol.tasks.task import (
        Check as Check,
        Rubric as Rubric,
        TaskSpec as TaskSpec,
        read_tasks as read_tasks,
    )
    from manyhands.rollouts.trajectories import EpisodeView as EpisodeView, Trajectory as Trajectory

_MODULES = {
    name: module
    for module, names in {
        "manyhands.actors.interfaces": ("Phone", "PhoneTransport"),
        "manyhands.service.client.async_client": ("AsyncClient",),
        "manyhands.service.client.http_connection": ("ServiceAway", "ServiceError", "ServiceRefused"),
        "manyhands.service.client.sync_client": ("Client",),
        "manyhands.deploy.fleet.fleet": ("Fleet",),
        "manyhands.deploy.fleet.given_parts": ("ScreenReaders", "Sidecar"),
        "manyhands.deploy.settings.fleet": ("FleetSettings",),
        "manyhands.deploy.settings.models": ("RehearsalOptions", "RoleModel"),
        "manyhands.deploy.settings.phones": ("VirtualOptions",),
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
        "manyhands.protocol.tasks.predicates": ("AllOf", "AnswerTest", "AnyOf", "Not", "SomeItem", "Value"),
        "manyhands.protocol.tasks.state_tests": ("StateTest",),
        "manyhands.protocol.runs.progress": (
            "RunEvent",
            "RunProgress",
            "StepBegan",
            "TaskBegan",
            "TaskEnded",
            "WaitBegan",
            "WaitEnded",
        ),
        "manyhands.protocol.runs.episode_settings": ("EpisodeSettings",),
        "manyhands.protocol.runs.run_summary": ("GroupResult", "RunSummary"),
        "manyhands.protocol.runs.results": ("BatchResult", "EpisodeResult"),
        "manyhands.protocol.runs.limits": ("Limits",),
        "manyhands.protocol.service.access": ("AccessRole",),
        "manyhands.protocol.service.batches": (
            "BatchPhase",
            "BatchRequest",
            "BatchStatus",
            "TaskPhase",
            "TaskStatus",
        ),
        "manyhands.protocol.service.events": ("EventKind", "ServiceEvent"),
        "manyhands.protocol.service.fleet": ("PhoneStatus", "ServiceStatus"),
        "manyhands.protocol.service.schedules": ("ScheduleRequest", "ScheduleStatus"),
        "manyhands.protocol.service.webhooks": ("WebhookRequest", "WebhookStatus"),
        "manyhands.protocol.tasks.task": ("Check", "Rubric", "TaskSpec", "read_tasks"),
        "manyhands.rollouts.trajectories": ("EpisodeView", "Trajectory"),
    }.items()
    for name in names
}
"""The same for the interpreter; a test holds the two against each other."""
__all__ = list(_MODULES)  # pyright: ignore[reportUnsupportedDunderAll]


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
