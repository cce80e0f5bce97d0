"""Whatever depends on the roles covers each role that is declared."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import pytest

from manyhands.actors.mllm import ModelSettings, parse
from manyhands.actors.mllm.parse import headers, sections
from manyhands.actors.mllm.request.dialects import dialect_named
from manyhands.actors.mllm.request.formats import OutputFormat, format_body
from manyhands.actors.profiles import PROFILES
from manyhands.actors.prompts import Prompts
from manyhands.actors.roles import CLASSES, StepRole
from manyhands.actors.roles.trial import trial_prompt
from manyhands.protocol.base import Reply
from manyhands.protocol.geometry import Size
from manyhands.protocol.roles import REPLIES, Described, Request, Role, described, role_of
from manyhands.simulator.canned.replies import canned_reply
from manyhands.simulator.canned.settings import CannedSettings
from manyhands.simulator.rehearsal.request import parse_request
from manyhands.simulator.serving.plain_reply import plain_reply
from tests.simulator.rehearsal.parts import body

ALL = [(role, reply) for role in Role for reply in role.spec.replies]
STEP_CLASSES = [kind for kind in CLASSES.values() if issubclass(kind, StepRole)]
DIALECT = dialect_named("qwen3-vl")


def requests(kind: type[Request[Any]] = Request) -> list[type[Request[Any]]]:
    """Requests of a role, without the classes on which they are based."""
    below = [found for sub in kind.__subclasses__() for found in requests(sub)]
    return [*below, kind] if "role" in vars(kind) else below


def test_each_role_has_a_class_and_each_step_role_one_request() -> None:
    assert {role: kind.role for role, kind in CLASSES.items()} == {role: role for role in Role}
    assert sorted(kind.role for kind in requests()) == sorted(kind.role for kind in STEP_CLASSES)
    assert {kind.role for kind in STEP_CLASSES} == {role for role in Role if role.spec.in_steps}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_a_profile_asks_roles_of_steps(profile: Any) -> None:
    assert all(role.spec.in_steps for role in profile.roles)
    assert len(set(profile.roles)) == len(profile.roles)


def test_a_reply_belongs_to_one_role_and_one_that_asks_more_has_all_fields_of_the_first() -> None:
    assert {reply.__name__: role for role, reply in ALL} == REPLIES
    assert len(REPLIES) == len(ALL)
    for role, reply in ALL:
        assert role.spec.replies[0].model_fields.keys() <= reply.model_fields.keys()
        assert all(isinstance(field.heading, str) and field.heading for field in described(reply))


@pytest.mark.parametrize("output", get_args(OutputFormat))
@pytest.mark.parametrize("role", Role)
def test_servers_are_tried_with_a_prompt_of_each_role(role: Role, output: OutputFormat) -> None:
    prompt = trial_prompt(Prompts(DIALECT, output), role)
    assert len({image.content_id for image in prompt.images}) == role.spec.pictures
    if role.spec.in_steps:
        assert format_body(role, output, Size(width=1000, height=1000)) in prompt.system
        assert f"The {role.spec.agent} answers so:" in prompt.system


def test_settings_know_each_role() -> None:
    settings = ModelSettings(urls=("http://model/v1",))
    assert settings.max_tokens == {role: role.spec.longest_reply for role in Role}
    assert [settings.priority(role) for role in Role] == [role.spec.priority for role in Role]
    assert [role_of(role.value) for role in Role] == list(Role)
    with pytest.raises(ValueError, match="'critic' is not a role; roles are plan, decide,"):
        role_of("critic")


@pytest.mark.parametrize(("role", "reply"), ALL)
def test_stand_ins_answer_each_role(role: Role, reply: type[Reply]) -> None:
    assert isinstance(plain_reply(reply), reply)
    assert isinstance(canned_reply(CannedSettings(), reply.__name__, "task-1-abc", 2), reply)
    assert parse_request(body(reply, {}, []), {}).role is role


# ---------------------------------------------------------------------------- a role without forms of its own
class Sample(Reply):
    good: Annotated[bool | None, Described("Thought")]
    grade: Annotated[Literal["Fine", "Poor"], Described("Status")]
    advice: Annotated[str, Described("Description", "what to do better")]


def test_a_reply_is_read_under_its_headings_without_a_reading_of_its_own() -> None:
    text = "### Thought ###\nyes\n### Status ###\nfine\n### Description ###\nGo on."
    assert headers.fields(Sample, sections.sections(text)) == {"good": True, "grade": "Fine", "advice": "Go on."}
    assert parse(Sample, text) == Sample(good=True, grade="Fine", advice="Go on.")
    assert headers.fields(Sample, {"Plan": "none of its headings"}) is None
