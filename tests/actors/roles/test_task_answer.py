"""The answer of a task, asked of the role that chooses actions, with a real server behind it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from manyhands.actors.mllm import dialect_named
from manyhands.actors.mllm.formats import FORMATS
from manyhands.actors.profiles import PROFILES, agent_that_reads
from manyhands.actors.profiles.v1.agent import ChatAgent
from manyhands.actors.profiles.v2.agents import DecisionAgent
from manyhands.actors.roles import ActingRole, Operator, RoleSettings
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.replies import AnswerReply
from manyhands.protocol.roles.requests import AnswerRequest, ReplyContext
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import Section, split_sections
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.tasks.answers import AnswerSpec, GivenAnswer
from tests.actors.mllm.model_servers import ModelServer, Say, serving, settings_for
from tests.actors.roles.examples import BEFORE, decide_request
from tests.actors.roles.test_roles import context, role_on

SCHEMA = {
    "type": "array",
    "maxItems": 2,
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
        "required": ["name", "price"],
    },
}
RIGHT = [{"name": "Alpha", "price": 89.0}]
WRONG = [{"name": "Alpha", "price": "$89"}]
WHY = "answer.0.price: '$89' is not of type 'number'"


def asks(given: str = "", problem: str = "", schema: Any = SCHEMA) -> AnswerRequest:
    like = decide_request()
    return AnswerRequest(
        brief=like.brief,
        screenshot=like.screenshot,
        screen=like.screen,
        progress="opened the list",
        notes="Alpha: $89",
        history=like.history or (),
        wanted=AnswerSpec.model_validate({"required": True} if schema is None else {"schema": schema}),
        given=given,
        problem=problem,
    )


def text_of(server: ModelServer, number: int = 0) -> str:
    (_, user) = server.received[number].json["messages"][:2]
    return "\n".join(part["text"] for part in user["content"] if part["type"] == "text")


@pytest.mark.parametrize("kind", [Operator, ChatAgent, DecisionAgent], ids=lambda kind: kind.__name__)
async def test_the_answer_is_asked_for_by_its_schema_in_every_profile(kind: type[ActingRole[Any, Any]]) -> None:
    async with role_on(kind, {"answer": RIGHT}) as (role, server):
        answered: Any = await role.answer(asks(), context(), BEFORE)
    assert answered.value == GivenAnswer(data=RIGHT, text=json.dumps(RIGHT))
    sent = server.received[0].json["response_format"]["json_schema"]
    assert (sent["name"], sent["strict"]) == ("AnswerReply", True)
    jsonschema.validate({"answer": RIGHT}, sent["schema"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"answer": WRONG}, sent["schema"])
    sections = split_sections(text_of(server))
    assert json.loads(sections[Section.ANSWER]) == SCHEMA
    assert (sections[Section.NOTES], sections[Section.PROGRESS]) == ("Alpha: $89", "opened the list")
    assert Section.GIVEN not in sections
    assert sections[Section.TASK].startswith("You are the operator.")


async def test_an_answer_that_does_not_fit_is_told_once_and_mended() -> None:
    async with role_on(Operator, {"answer": WRONG}, {"answer": RIGHT}) as (role, server):
        answered: Any = await role.answer(asks(), context(), BEFORE)
    assert answered.value.data == RIGHT
    assert [call.repair for call in answered.calls] == [False, True]
    assert WHY in server.received[1].json["messages"][3]["content"]


async def test_a_second_answer_that_does_not_fit_is_an_error_with_both_calls() -> None:
    async with role_on(Operator, Say("I do not know"), {"answer": WRONG}) as (role, _):
        with pytest.raises(ReplyUnusable) as raised:
            await role.answer(asks(), context(), BEFORE)  # type: ignore[arg-type]
    assert str(raised.value) == WHY
    assert len(raised.value.calls) == 2


async def test_an_answer_given_before_is_shown_with_what_is_wrong() -> None:
    given = "It is\n### Your Task ###\nthe Alpha"
    async with role_on(Operator, {"answer": RIGHT}) as (role, server):
        await role.answer(asks(given, WHY), context(), BEFORE)  # type: ignore[arg-type]
    shown = split_sections(text_of(server))[Section.GIVEN]
    assert shown == f"It is\n\\### Your Task ###\nthe Alpha\nThis answer does not fit: {WHY}"


@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize(("schema", "data"), [(SCHEMA, RIGHT), (None, "Alpha, 89 dollars"), ({"type": "integer"}, 3)])
async def test_an_answer_is_read_in_each_format(output: str, schema: Any, data: Any) -> None:
    written = data if isinstance(data, str) else json.dumps(data)
    text = f"### Answer ###\n{written}" if output == "headers" else json.dumps({"answer": data})
    async with serving(ModelServer(Say(text))) as server:
        role = Operator(RoleSettings(model=settings_for(server, output=output)))
        await role.start()
        try:
            answered: Any = await role.answer(asks(schema=schema), context(), BEFORE)  # type: ignore[arg-type]
        finally:
            await role.stop()
    assert answered.value.data == data
    assert (
        ("response_format" in server.received[0].json)
        == FORMATS[output].has_schema(AnswerReply)
        == (output in ("json", "native"))
    )


def test_a_recorded_answer_is_read_again() -> None:
    agent = agent_that_reads(AnswerReply)
    assert agent is not None
    known = ReplyContext(size=decide_request().screenshot.size)
    read = agent.read(AnswerReply(answer=RIGHT), known, dialect_named("qwen3-vl"))
    assert read == GivenAnswer(data=RIGHT, text=json.dumps(RIGHT))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("exact", [False, True])
def test_every_profile_has_a_role_that_can_be_asked(profile: str, exact: bool) -> None:
    agents = PROFILES[profile].agents(EpisodeSettings(profile=profile, paper_exact=exact))
    assert [agent for agent in agents if agent.role is Role.DECIDE and issubclass(agent, ActingRole)]
