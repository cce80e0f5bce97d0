"""Whatever depends on the roles covers each role that is declared."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from manyhands.actors.mllm import ModelSettings, parse
from manyhands.actors.mllm.formats import FORMATS, OutputFormat, format_body
from manyhands.actors.mllm.parse import sections
from manyhands.actors.mllm.request.dialects import dialect_named
from manyhands.actors.profiles import PROFILES, agent_that_reads
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles.base import trial_prompt
from manyhands.protocol.base import Reply
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.field_description import FieldDescription, describe_fields
from manyhands.protocol.roles.requests import Request
from manyhands.protocol.roles.role import Role, role_of
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.screens.geometry import Size
from manyhands.simulator.canned.replies import canned_reply
from manyhands.simulator.rehearsal.request import parse_request
from manyhands.simulator.serving.plain_reply import plain_reply
from tests.simulator.rehearsal.parts import body

ALL = [(role, reply) for role, replies in registered_profiles().replies.items() for reply in replies]
EXACT = [EpisodeSettings(profile=name, paper_exact=exact) for name in PROFILES for exact in (False, True)]
AGENTS = {agent for settings in EXACT for agent in PROFILES[settings.profile].agents(settings)}
DIALECT = dialect_named("qwen3-vl")


def requests(kind: type[Request[Any]] = Request) -> list[type[Request[Any]]]:
    """Requests of a role, without the classes on which they are based."""
    below = [found for sub in kind.__subclasses__() for found in requests(sub)]
    return [*below, kind] if "role" in vars(kind) else below


def test_each_role_that_a_profile_asks_has_an_agent_and_a_request() -> None:
    assert {kind.role for kind in requests()} == {*Role} - {Role.CAPTION}
    assert {kind.role for kind in AGENTS} == {*Role} - {Role.CAPTION, Role.JUDGE}


@pytest.mark.parametrize("settings", EXACT, ids=str)
def test_a_profile_asks_each_role_by_one_agent(settings: EpisodeSettings) -> None:
    roles = PROFILES[settings.profile].roles(settings)
    assert len(set(roles)) == len(roles)
    for agent in PROFILES[settings.profile].agents(settings):
        assert agent.role.spec.in_steps or PROFILES[settings.profile].learns
        assert agent.writes in registered_profiles().replies[agent.role]


def test_each_reply_belongs_to_one_role_and_has_an_agent_that_reads_it() -> None:
    assert registered_profiles().problems == {}
    assert {reply.__name__: role for role, reply in ALL} == registered_profiles().writers
    assert len(registered_profiles().reply_types) == len(ALL)
    for role, reply in ALL:
        agent = agent_that_reads(reply)
        assert (agent is None) == (role is Role.CAPTION)
        assert agent is None or agent.role is role
        assert all(isinstance(field.heading, str) and field.heading for field in describe_fields(reply))


@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.parametrize("role", Role)
def test_servers_are_tried_with_a_prompt_of_each_role(role: Role, output: OutputFormat) -> None:
    prompt = trial_prompt(Prompts(DIALECT, output), role)
    assert len({image.content_id for image in prompt.images}) == role.spec.pictures
    if role.spec.in_steps:
        assert format_body(role.spec.replies[0], output, Size(width=1000, height=1000)) in prompt.system
        assert f"The {role.spec.agent} answers so:" in prompt.system


def test_settings_know_each_role() -> None:
    settings = ModelSettings(urls=("http://model/v1",))
    assert settings.max_tokens == {role: role.spec.longest_reply for role in Role}
    assert [settings.priority(role) for role in Role] == [role.spec.priority for role in Role]
    assert [role_of(role.value) for role in Role] == list(Role)
    assert [role_of(role.spec.agent) for role in Role] == list(Role)
    with pytest.raises(ValueError, match=r"'nobody' is not a role; roles are planner \(plan\), operator \(decide\),"):
        role_of("nobody")
    with pytest.raises(ValueError, match="; did you mean 'planner'"):
        role_of("planer")


@pytest.mark.parametrize(("role", "reply"), ALL)
def test_stand_ins_answer_each_role(role: Role, reply: type[Reply]) -> None:
    assert isinstance(plain_reply(reply), reply)
    assert isinstance(canned_reply(reply.__name__, "task-1-abc", 2), reply)
    assert parse_request(body(reply, {}, []), {}).role is role


class Bounded(Reply):
    title: Annotated[str, Field(min_length=3)]
    count: int
    least: Annotated[int, Field(ge=2)]
    letters: Annotated[list[Literal["b", "a"]], Field(min_length=2)]
    anything: list[str]


def test_the_plainest_reply_keeps_to_what_its_fields_ask_for() -> None:
    plain = plain_reply(Bounded)
    assert plain == Bounded(title="---", count=0, least=2, letters=["b", "b"], anything=[])


# ---------------------------------------------------------------------------- a role without forms of its own
class Sample(Reply):
    good: Annotated[bool | None, FieldDescription("Thought")]
    grade: Annotated[Literal["Fine", "Poor"], FieldDescription("Status")]
    advice: Annotated[str, FieldDescription("Description", "what to do better")]


def test_a_reply_is_read_under_its_headings_without_a_reading_of_its_own() -> None:
    text = "### Thought ###\nyes\n### Status ###\nfine\n### Description ###\nGo on."
    assert sections.read_fields(Sample, sections.read_sections(text)) == {
        "good": True,
        "grade": "Fine",
        "advice": "Go on.",
    }
    assert parse(Sample, text) == Sample(good=True, grade="Fine", advice="Go on.")
    assert sections.read_fields(Sample, {"Plan": "none of its headings"}) is None
