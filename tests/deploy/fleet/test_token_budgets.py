"""A limit on replies that a server cannot fulfil within a stage's deadline is refused before the first task."""

from __future__ import annotations

from typing import Any

import pytest

from manyhands.deploy.fleet.model_servers.resolution import check_models, role_models
from manyhands.deploy.fleet.model_servers.token_budgets import TokenBudget, token_budget
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.roles.role import Role
from tests.actors.mllm.model_servers import ModelServer, Say, serving

MANY, FEW = {"completion_tokens": 10**9}, {"completion_tokens": 1}
"""What a very fast and a very slow server say that they have written."""


def given(server: ModelServer, tokens: int, **episode: Any) -> FleetSettings:
    own = {"decide": {"max_tokens": tokens}}
    return load_settings({"mllm_url": [server.url], "dialect": "qwen3-vl", "models": own, "episode": episode})


async def check(server: ModelServer, tokens: int, **episode: Any) -> None:
    settings = given(server, tokens, **episode)
    await check_models(settings, role_models(settings))


def speed_questions(server: ModelServer) -> int:
    return sum("response_format" not in one.json for one in server.received)


async def test_the_refusal_has_the_arithmetic() -> None:
    async with serving(ModelServer(Say("one", FEW))) as server:
        with pytest.raises(BadInput) as refused:
            await check(server, 10**9)
    said = str(refused.value)
    assert said.startswith(f"models.decide.max_tokens: {server.url} writes ")
    assert "so a reply of 1000000000 tokens takes " in said
    assert "its deadline is 180 s" in said
    assert "\n" not in said


def test_what_is_advised_would_fit() -> None:
    budget = TokenBudget(Role.DECIDE, 10240, 180, "decide")
    assert round(budget.per_s) == 57
    assert budget.refusal("http://gpu/v1", 38.0) == (
        "models.decide.max_tokens: http://gpu/v1 writes 38 tokens a second for one request, so a reply of 10240 tokens "
        "takes 270 s, and its deadline is 180 s: lower the limit to 6840, raise episode.deadlines.decide to 270 or "
        "more, or take a model that thinks less"
    )


async def test_a_fast_server_may_write_long_replies() -> None:
    async with serving(ModelServer(Say("one", MANY))) as server:
        await check(server, 10240)
        assert speed_questions(server) == 1


async def test_a_server_whose_speed_is_unknown_is_taken_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    async with serving(ModelServer(Say("one"))) as server:
        await check(server, 10240)
    assert "its speed could not be measured" in caplog.text


async def test_usual_limits_are_not_measured() -> None:
    async with serving(ModelServer(Say("one", FEW))) as server:
        await check(server, 1024)
        assert speed_questions(server) == 0


@pytest.mark.parametrize(
    ("profile", "role", "stage"),
    [("e", Role.DECIDE, "decide"), ("e", Role.REFLECT, "verify"), ("v2", Role.NOTE, "memory"), ("e", Role.JUDGE, None)],
)
def test_the_deadline_is_that_of_the_roles_stage(profile: str, role: Role, stage: str | None) -> None:
    changed = {} if stage is None else {stage: 77.0}
    settings = load_settings(
        {"mllm_url": ["http://run/v1"], "episode": {"profile": profile, "deadlines": changed}, "dialect": "qwen3-vl"}
    )
    budget = token_budget(settings.episode, role, role_models(settings)[role])
    assert (budget.stage, budget.deadline_s) == (stage, 77.0 if stage else 180.0)


def test_an_attempt_may_last_as_long_as_the_longest_deadline() -> None:
    for deadline, limit in ((90.0, 180.0), (400.0, 400.0)):
        settings = load_settings({"mllm_url": ["http://run/v1"], "episode": {"deadlines": {"decide": deadline}}})
        assert {model.timeout_s for model in role_models(settings).values()} == {limit}
