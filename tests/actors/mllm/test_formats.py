"""What roles are told about the form of their replies is what the parser reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, get_args

import pytest
from pydantic import ValidationError

from manyhands.actors.mllm import ModelSettings, Prompt, dialect_named, parse
from manyhands.actors.mllm.formats import FORMATS, OutputFormat, ReplyFormat, added_format, format_body
from manyhands.actors.mllm.parse.decisions import ReplyFields
from manyhands.actors.mllm.parse.separated_answer import SeparatedAnswer
from manyhands.actors.mllm.request.bodies import recorded_body
from manyhands.actors.mllm.vocabulary import added_arguments, tool_arguments, tool_words
from manyhands.actors.prompts import Prompts
from manyhands.deploy.settings.models import ModelOptions
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.profiles.bare import BareReply
from manyhands.protocol.profiles.native import NativeReply
from manyhands.protocol.profiles.v1 import OperateReply
from manyhands.protocol.profiles.v2 import OperationOfEReply, OperationReply
from manyhands.protocol.roles.field_description import FieldDescription, ReplyField, describe_fields
from manyhands.protocol.roles.replies import OUR_ACTIONS, ActingReply, ActionReply, without_actions
from manyhands.protocol.roles.role import (
    STEP_ROLES,
    DecideReply,
    JudgeReply,
    NoteReply,
    PaperDecideReply,
    PlanReply,
    ReflectReply,
    ReflectSubgoalReply,
    Role,
)
from manyhands.protocol.screens.actions import ASK, ATOMS, WRITTEN
from manyhands.protocol.screens.argument_types import point_parameters
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.validation_words import describe_error

EXTENT = Size(width=1092, height=2408)
FORMS = ("json", "headers", "tool_call", "native")
"""The formats in which ``chosen`` can write a reply."""
REPLIES: dict[Role, type[Reply]] = {
    Role.PLAN: PlanReply,
    Role.DECIDE: DecideReply,
    Role.REFLECT: ReflectReply,
    Role.NOTE: NoteReply,
}
ACTING = (DecideReply, PaperDecideReply, OperateReply, BareReply, OperationReply, OperationOfEReply)
NAMES = {name for kind in get_args(get_args(ActionReply)[0]) for name in get_args(kind.model_fields["name"].annotation)}


def chosen(body: str) -> str:
    """A body with the first of every choice, as a model would write it."""
    body = body.removeprefix("Sections, each heading followed by its text:\n")
    body = body.removeprefix("One section, the heading followed by its text:\n")
    body = re.sub(r'("\w+")(?: \| "\w+")+', r"\1", body)
    return re.sub(r"(?m)^(### (?:Change|Status|Outcome) ### \w+).*$", r"\1", body)


def listed_actions(body: str) -> list[str]:
    """The actions that a body lists, one a line, those that are named behind another one included."""
    lines = body.partition("ACTION is one of:\n")[2].splitlines()
    last, others = lines[-1].split(" and likewise ")
    return [*lines[:-1], last, *(last.replace('"Enter"', name) for name in others.split(", "))]


@pytest.mark.parametrize("output", FORMS)
@pytest.mark.parametrize("role", [Role.PLAN, Role.REFLECT, Role.NOTE])
def test_the_form_that_a_role_is_told_reads_as_its_reply(role: Role, output: OutputFormat) -> None:
    assert isinstance(parse(REPLIES[role], chosen(format_body(REPLIES[role], output, EXTENT))), REPLIES[role])


@pytest.mark.parametrize("output", FORMS)
def test_what_the_reflector_is_told_to_add_reads_as_whether_the_subgoal_is_reached(output: OutputFormat) -> None:
    told, field = chosen(format_body(ReflectReply, output, EXTENT)), added_format(ReflectSubgoalReply, output)
    if output == "headers":
        answers = {word: f"{told}\n### Subgoal Reached ### {word}" for word in ("yes", "no", "unknown")}
        assert all(word in field for word in answers)
    else:
        answers = {word: f'{told[:-1]}, "subgoal_reached": {word}}}' for word in ("true", "false", "null")}
        assert all(word in field for word in answers)
    read = [parse(ReflectSubgoalReply, answer).subgoal_reached for answer in answers.values()]
    assert read == [True, False, None]


@pytest.mark.parametrize("output", ["json", "headers"])
def test_every_action_that_the_operator_is_told_reads_as_that_action(output: OutputFormat) -> None:
    body = format_body(DecideReply, output, EXTENT)
    frame = chosen(body.partition("\nACTION is one of:")[0])
    read = [parse(DecideReply, frame.replace("ACTION", action)).action.name for action in listed_actions(body)]
    assert set(read) == NAMES
    for action, name in zip(listed_actions(body), read, strict=True):
        assert f'"{name}"' in action or name == "Shortcut"


def tools(body: str) -> dict[str, dict[str, Any]]:
    inside = body.partition("<tools>\n")[2].partition("\n</tools>")[0]
    return {tool["function"]["name"]: tool["function"] for tool in map(json.loads, inside.splitlines())}


def test_the_example_of_a_tool_call_reads_and_the_tool_says_the_extent() -> None:
    body = format_body(DecideReply, "tool_call", EXTENT)
    example = body[body.index("<tool_call>") : body.index("</tool_call>") + len("</tool_call>")]
    assert parse(DecideReply, f"Thought: it is there\nAction: it opens\n{example}").model_dump(mode="json") == {
        "thought": "it is there",
        "action": {"name": "Tap", "x": 0, "y": 0},
        "expectation": "it opens",
    }
    assert "1092x2408" in tools(body)["mobile_use"]["description"]


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ((), "For type and answer; the app's name for open."),
        (("Type", "Answer"), "The app's name for open."),
        (("Open_App",), "For type and answer."),
        (("Type", "Answer", "Open_App"), None),
    ],
)
def test_the_tool_says_what_a_text_is_for_the_actions_that_are_offered(
    left_out: tuple[str, ...], said: str | None
) -> None:
    body = format_body(without_actions(DecideReply, frozenset({ASK, *left_out})), "tool_call", EXTENT)
    text = tools(body)["mobile_use"]["parameters"]["properties"].get("text", {})
    assert text.get("description") == said


def test_a_field_with_choices_is_asked_for_by_them_beside_the_tool() -> None:
    asked = " ".join(format_body(NativeReply, "tool_call", Size(width=1000, height=1000)).split())
    assert 'a line "Outcome: " with A, B or C, the letter alone;' in asked
    assert 'a line "Current Subgoal: " with open or reached;' in asked


def test_every_call_that_the_tools_allow_reads_as_an_action() -> None:
    offered = tools(format_body(DecideReply, "tool_call", EXTENT))
    mobile = offered["mobile_use"]["parameters"]["properties"]
    values = {"coordinate": [1, 2], "coordinate2": [3, 4], "text": "a", "time": 2, "status": "success"}
    added = added_arguments(OUR_ACTIONS.specs)
    values |= {name: one.example for name, one in added.items()}
    assert mobile.keys() == {"action", "button", *values}
    points = {word: len(point_parameters(ATOMS[name])) for word, name in tool_words(ATOMS).items() if name}
    calls = []
    for action in mobile["action"]["enum"]:
        given = {key: value for key, value in values.items() if not key.startswith("coord")}
        given |= {key: values[key] for key in ("coordinate", "coordinate2")[: points.get(action, 0)]}
        calls += [("mobile_use", {"action": action, "button": button, **given}) for button in mobile["button"]["enum"]]
    calls += [("tap_element", {"number": 3}), ("run_shortcut", {"shortcut": "Find", "arguments": {"text": "a"}})]
    assert {name for name, _ in calls} == offered.keys()
    read = set()
    for name, arguments in calls:
        call = json.dumps({"name": name, "arguments": arguments})
        read.add(parse(DecideReply, f"<tool_call>\n{call}\n</tool_call>").action.name)
    assert read == NAMES


@pytest.mark.parametrize("kind", ACTING, ids=lambda kind: kind.__name__)
def test_the_phone_tool_has_a_property_for_every_argument_of_every_action(kind: type[ActingReply]) -> None:
    mobile = tools(format_body(kind, "tool_call", EXTENT))["mobile_use"]["parameters"]["properties"]
    assert set(mobile["action"]["enum"]) == tool_words(kind.actions.specs).keys()
    for name in kind.actions.specs.keys() & WRITTEN.keys():
        for argument, ours in tool_arguments(name).items():
            if set(ours) <= set(kind.actions.specs[name].parameters):
                assert mobile[argument]["type"], f"{argument} of {name}"
                assert mobile[argument]["description"]


def test_what_is_not_offered_is_not_described() -> None:
    ours, papers = (tools(format_body(kind, "tool_call", EXTENT)) for kind in (DecideReply, PaperDecideReply))
    describe_fields = {"type": "boolean", "description": "Whether what the field holds is deleted first, for type."}
    assert ours["mobile_use"]["parameters"]["properties"]["clear"] == describe_fields
    assert "clear" not in papers["mobile_use"]["parameters"]["properties"]


@pytest.mark.parametrize("kind", ACTING, ids=lambda kind: kind.__name__)
def test_an_argument_that_the_phone_tool_offers_to_an_action_is_read(kind: type[ActingReply]) -> None:
    """An action is offered an argument whose description names it; the papers' Wait has no time, say."""
    mobile = tools(format_body(kind, "tool_call", EXTENT))["mobile_use"]["parameters"]["properties"]
    known = {name: {one.name for one in spec.parameters} for name, spec in kind.actions.specs.items()}
    offered = {
        (name, argument)
        for word, name in tool_words(known).items()
        for argument in mobile.keys() - {"action"}
        if name is not None and re.search(rf"\b{word}\b", mobile[argument]["description"])
    }
    assert offered
    for name, argument in offered:
        assert {one.name for one in tool_arguments(name)[argument]} <= known[name], f"{argument} of {name}"


def test_what_waits_for_as_long_as_the_papers_do_is_read_without_a_time() -> None:
    mobile = tools(format_body(PaperDecideReply, "tool_call", EXTENT))["mobile_use"]["parameters"]["properties"]
    assert "wait" in mobile["action"]["enum"]
    assert "time" not in mobile
    call = json.dumps({"name": "mobile_use", "arguments": {"action": "wait"}})
    assert parse(PaperDecideReply, f"<tool_call>\n{call}\n</tool_call>").action.name == "Wait"


def test_a_form_is_not_taken_for_a_section_of_the_prompt() -> None:
    for output in FORMATS:
        for role in STEP_ROLES:
            assert re.search(r"(?m)^### .+? ###$", format_body(role.spec.replies[0], output, EXTENT)) is None


def test_the_bare_form_with_its_choices_is_no_reply() -> None:
    with pytest.raises(ReplyUnusable):
        parse(ReflectReply, format_body(ReflectReply, "json", EXTENT))


@pytest.mark.parametrize("kind", [bool, int, float, Literal[1, 2]])
def test_a_field_that_no_answer_could_be_read_into_is_refused_where_it_is_declared(kind: Any) -> None:
    asked = Annotated[kind, FieldDescription("Risky", "whether it is risky")]
    reply = type("RiskReply", (Reply,), {"__annotations__": {"risky": asked}})
    with pytest.raises(TypeError, match="risky: a reply's field is a text"):
        describe_fields(reply)


class Tags(ReplyFormat):
    """A form of somebody else: a tag for each field, and an action as JSON in one of them."""

    name = "tags"
    shortcut_example: ClassVar[Mapping[str, Any]] = {"name": "Shortcut", "shortcut": "its name", "arguments": []}

    def ask_fields(self, fields: Sequence[ReplyField]) -> str:
        return "\n".join(map(self._tag, fields))

    def ask_added_field(self, field: ReplyField) -> str:
        return f"one more tag, {self._tag(field)}"

    def example(self, action: str, arguments: Mapping[str, Any] | None) -> Mapping[str, Any]:
        return {"name": action, **(arguments or {})}

    def recognizes(self, text: str, reply: type[Reply]) -> bool:
        return any(f"<{field.name}>" in text for field in describe_fields(reply))

    def read(self, answer: SeparatedAnswer, reply: type[Reply]) -> ReplyFields:
        found: dict[str, Any] = dict(re.findall(r"(?s)<(\w+)>(.*?)</\1>", answer.text))
        if "action" in found:
            found["action"] = json.loads(found["action"])
        return ReplyFields(found)

    @staticmethod
    def _tag(field: ReplyField) -> str:
        return f"<{field.name}>{' or '.join(map(str, field.choices)) or field.text}</{field.name}>"


async def test_a_form_is_added_by_one_class_and_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is offered as a setting, asked for, sent without a schema, and read; the others are read as before."""
    with pytest.raises(ValidationError) as refused:
        ModelSettings(urls=("http://h/v1",), output="tags")
    *others, last = FORMATS
    assert describe_error(refused.value.errors()[0]) == f"must be {', '.join(others)} or {last}, not 'tags'"
    monkeypatch.setitem(FORMATS, "tags", Tags())
    settings = ModelSettings(urls=("http://h/v1",), output="tags")
    told = Prompts(dialect_named("qwen3-vl"), "tags").system(EXTENT)
    assert "<expectation>" in told
    assert "ACTION is one of:" in told
    body = recorded_body(settings, Role.PLAN, PlanReply, Prompt(told, ("go on",)))
    assert "response_format" not in body
    note = parse(NoteReply, "<notes>milk</notes>")
    assert note.notes == "milk"
    action = json.dumps({"name": "Tap", "x": 1, "y": 2})
    decided = parse(DecideReply, f"<thought>t</thought><action>{action}</action><expectation>e</expectation>")
    assert (decided.thought, decided.action.name) == ("t", "Tap")
    assert parse(NoteReply, "### Important Notes ###\nbread").notes == "bread"


def test_the_setting_names_every_form() -> None:
    described = ModelOptions.model_fields["output"].description or ""
    assert re.findall(r"`(\w+)`", described) == list(FORMATS)


@pytest.mark.parametrize("output", FORMATS)
def test_a_schema_goes_to_servers_for_a_form_that_has_one(output: str) -> None:
    settings = ModelSettings(urls=("http://h/v1",), output=output)
    body = recorded_body(settings, Role.DECIDE, DecideReply, Prompt("", ("go on",)))
    assert ("response_format" in body) == FORMATS[output].has_schema(DecideReply) == (output == "json")


def test_a_schema_goes_to_servers_for_every_reply_that_no_family_has_a_form_for() -> None:
    settings = ModelSettings(urls=("http://h/v1",), output="native")
    for role, reply in ((Role.PLAN, PlanReply), (Role.NOTE, NoteReply), (Role.JUDGE, JudgeReply)):
        assert "response_format" in recorded_body(settings, role, reply, Prompt("", ("go on",)))
