"""The plan of a run: all that its settings say, resolved and checked before anything is started."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from manyhands.actors.memory import initial_memory
from manyhands.deploy.fleet.given_parts import GivenParts
from manyhands.deploy.fleet.plan import plan_fleet
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import STEP_ROLES, Role
from tests.actors.mllm.model_servers import ModelServer, Say, serving


@asynccontextmanager
async def emulators(settings: FleetSettings, logs: Path) -> AsyncIterator[FleetSettings]:
    raise AssertionError("a plan starts nothing")
    yield settings


@pytest.mark.parametrize(
    ("settings", "sidecars", "planned"),
    [
        ({}, (), (False, (), (), True)),
        ({}, (emulators,), (True, (), (), False)),
        ({"phones": ["virtual:2"]}, (), (True, ("virtual:2",), (), False)),
        ({"phones": ["R1"]}, (emulators,), (False, ("R1",), (), True)),
        ({"phones": ["rack/*"], "ray_address": "auto"}, (), (False, (), ("rack/*",), False)),
        ({"phones": ["rack/*", "R1"], "ray_address": "auto"}, (), (False, ("R1",), ("rack/*",), True)),
        ({"phones": ["mqtts://hands.example/lab/R%2F1"]}, (), (False, ("lab/R/1",), (), True)),
    ],
)
async def test_where_phones_are_looked_for(settings: dict[str, Any], sidecars: Any, planned: Any) -> None:
    plan = await plan_fleet(load_settings({"mllm_url": ["rehearsed"], **settings}), GivenParts(sidecars=sidecars), None)
    assert (plan.starts_phones, plan.named_here, plan.named_at_nodes, plan.looks_here) == planned
    assert plan.memory == initial_memory()
    with pytest.raises(FrozenInstanceError):
        plan.starts_phones = True  # type: ignore[misc]


@pytest.mark.parametrize(
    ("served", "given", "pictures"),
    [
        ("zai-org/AutoGLM-Phone-9B", {}, 2),
        ("Qwen/Qwen3-VL-8B-Instruct", {}, 4),
        ("Tongyi-MAI/MAI-UI-8B", {}, 3),
        ("mPLUG/GUI-Owl-1.5-8B-Instruct", {}, 4),
        ("Tongyi-MAI/MAI-UI-8B", {"chat_pictures": 4}, 4),
        ("mPLUG/GUI-Owl-7B", {}, 2),
    ],
)
async def test_a_chat_shows_as_many_pictures_as_its_family_knows(
    served: str, given: dict[str, Any], pictures: int
) -> None:
    async with serving(ModelServer(Say(""), models=(served,))) as server:
        settings = load_settings({"mllm_url": [server.url], "episode": {"profile": "native", **given}})
        plan = await plan_fleet(settings, GivenParts(), None)
    assert plan.settings.episode.chat_pictures == pictures


async def test_servers_that_are_there_are_asked_and_stand_ins_come_later() -> None:
    server = ModelServer(Say(""), models=("there",))
    async with serving(server):
        settings = load_settings(
            {"mllm_url": [server.url], "dialect": "qwen3-vl", "models": {"note": {"url": "rehearsed"}}}
        )
        plan = await plan_fleet(settings, GivenParts(), None)
    assert {role: model.model for role, model in plan.models.items()} == {
        role: "there" for role in (*STEP_ROLES, Role.JUDGE) if role != "note"
    }
    assert plan.settings is settings


async def test_what_is_wrong_is_said_before_anything_is_started(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="learns nothing"):
        await plan_fleet(load_settings({"mllm_url": ["rehearsed"], "memory": tmp_path / "m"}), GivenParts(), None)
    with pytest.raises(BadInput, match="write one virtual:N"):
        await plan_fleet(load_settings({"mllm_url": ["rehearsed"], "phones": ["virtual:0"]}), GivenParts(), None)
