"""Every declared action: written in all forms, converted, held to the screen, shown to models and people.

Nothing here names an action: one that is declared in ``protocol.screens.actions`` is tested without a line more.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError

from manyhands.actors.episode.stages.atomic_actions import ActionUnusable, atoms_of
from manyhands.actors.mllm import parse
from manyhands.actors.mllm.formats import action_lines, format_body
from manyhands.actors.mllm.request.actions import read_action, write_action
from manyhands.actors.mllm.request.dialects import OutsideScreen, dialect_named
from manyhands.actors.mllm.vocabulary import BUTTONS, PAPER_ARGUMENTS, tool_arguments, tool_words
from manyhands.actors.phones.adb.commands import PhoneFacts, commands_for
from manyhands.actors.phones.adb.shell import ActionRefused
from manyhands.actors.prompts import history
from manyhands.evaluation.episode_view import StepView, describe_decision
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import ReplyUnusable
from manyhands.protocol.roles.replies import OUR_ACTIONS, ActionSet
from manyhands.protocol.roles.requests import Decision, PastAction
from manyhands.protocol.roles.role import DecideReply, PaperDecideReply
from manyhands.protocol.screens.actions import (
    ATOM,
    ATOMS,
    AtomicAction,
    BaseAtomicAction,
    Type,
    WrittenAction,
    points_of,
)
from manyhands.protocol.screens.argument_types import (
    ArgumentType,
    AxisArgument,
    FlagArgument,
    SecondsArgument,
    TextArgument,
    X,
    Y,
    parameters,
    point_parameters,
)
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.screens.screen import Screen
from tests.actors.roles import examples
from tests.protocol.model_strategies import model

QWEN3 = dialect_named("qwen3-vl")
SIZE = Size(width=1000, height=2000)
"""As many units of the model as pixels across, and half as many as down: its units survive the way there and back."""
SCREEN = Screen(content_id="0" * 32, size=SIZE, elements=(), keyboard="shown")
READABLE = st.text(st.characters(min_codepoint=33, max_codepoint=0x4FFF, exclude_categories=["C", "Z"]), min_size=1)


@st.composite
def declared(draw: st.DrawFn) -> AtomicAction:
    """An action of any kind as a model may write it, in pixels."""
    kind: type[BaseAtomicAction] = draw(st.sampled_from(list(ATOMS.values())))
    values: dict[str, Any] = {}
    points = draw(
        st.lists(
            st.tuples(st.integers(0, 999), st.integers(0, 999).map(lambda y: y * 2)),
            unique=True,
            min_size=len(point_parameters(kind)),
            max_size=len(point_parameters(kind)),
        )
    )
    for (x, y), point in zip(point_parameters(kind), points, strict=True):
        values[x.field], values[y.field] = point
    for one in parameters(kind):
        if isinstance(one.mark, TextArgument):
            values[one.field] = draw(READABLE.map(lambda text: text[:50]))
        elif isinstance(one.mark, FlagArgument):
            values[one.field] = draw(st.booleans())
        elif isinstance(one.mark, SecondsArgument) and draw(st.booleans()):
            values[one.field] = draw(st.integers(one.mark.least, one.mark.most)) * one.mark.units
        elif one.required and not isinstance(one.mark, AxisArgument):
            values[one.field] = one.example
    return ATOM.validate_python({"name": kind.model_fields["name"].default, **values})


def in_json(written: dict[str, Any]) -> str:
    return json.dumps({"thought": "t", "action": written, "expectation": "e"})


def under_headers(written: dict[str, Any]) -> str:
    arguments = {PAPER_ARGUMENTS.get(key, key): value for key, value in written.items() if key != "name"}
    call = json.dumps({"name": written["name"], "arguments": arguments or None})
    return f"### Thought ###\nt\n### Action ###\n{call}\n### Description ###\ne"


def in_tool_call(written: dict[str, Any]) -> str:
    """The call that the prompt's description of the phone's tool asks for."""
    name = written["name"]
    given: dict[str, Any] = {}
    for key, ours in tool_arguments(name).items():
        values = [written[one.name] for one in ours if one.name in written]
        if values:
            given[key] = values if len(values) > 1 else values[0]
    words = {action: word for word, action in tool_words(ATOMS).items()}
    buttons = {action: button for button, action in BUTTONS.items()}
    if name in buttons:
        given = {"action": "system_button", "button": buttons[name]}
    elif name in words:
        given["action"] = words[name]
    else:
        given = {"action": "terminate", "status": "success"}
    call = json.dumps({"name": "mobile_use", "arguments": given})
    return f"Thought: t\nAction: e\n<tool_call>\n{call}\n</tool_call>"


@pytest.mark.parametrize("form", [in_json, under_headers, in_tool_call])
@given(action=declared())
def test_what_is_written_in_any_form_is_read_as_the_same_action_in_pixels(form: Any, action: AtomicAction) -> None:
    written = write_action(action, QWEN3, SIZE, ())
    reply = parse(DecideReply, form(written))
    assert read_action(reply.action, QWEN3, SIZE, ()) == action
    assert (reply.thought, reply.expectation) == ("t", "e")


@given(declared(), st.data())
def test_a_point_outside_the_screen_reaches_no_phone(action: AtomicAction, data: st.DataObject) -> None:
    points = point_parameters(type(action))
    if not points:
        assert points_of(action) == ()
        return
    coordinate = data.draw(st.sampled_from([one for point in points for one in point]))
    side = SIZE.width if coordinate in {x for x, _ in points} else SIZE.height
    outside = data.draw(st.integers(-5000, -1) | st.integers(side, side + 5000))
    moved = action.model_copy(update={coordinate.field: outside})
    with pytest.raises(ActionUnusable, match="outside the screen"):
        atoms_of(moved, SCREEN, (), paper_exact=False)
    with pytest.raises(ActionRefused, match="outside the screen"):
        commands_for(moved, PhoneFacts(SIZE, adb_keyboard=True, apps=None))
    written = {**write_action(action, QWEN3, SIZE, ()), coordinate.name: data.draw(st.integers(1001, 9999))}
    reply = parse(DecideReply, in_json(written))
    with pytest.raises(OutsideScreen):
        read_action(reply.action, QWEN3, SIZE, ())


@given(declared())
def test_history_and_report_show_all_that_was_written(action: AtomicAction) -> None:
    past = PastAction(step=0, action=action, expectation="e", outcome=Outcome.B, error="why")
    shown = history([past], QWEN3, examples.SIZE, (), OUR_ACTIONS, paper_exact=False, whole=True)
    written = write_action(action, QWEN3, examples.SIZE, ())
    assert json.dumps(written, ensure_ascii=False) in shown
    line = describe_decision(Decision(thought="", action=action, expectation=""))
    assert line.startswith(action.name)
    assert all(f"({x}, {y})" in line for x, y in points_of(action))
    assert all(
        str(getattr(action, one.field)) in line
        for one in parameters(type(action))
        if isinstance(one.mark, TextArgument)
    )
    marks = StepView(0, atoms=[action]).touches
    assert len(marks) == bool(points_of(action))
    assert all((mark["x1"], mark["y1"]) == points_of(action)[0] for mark in marks)
    assert all((mark["x2"], mark["y2"]) == points_of(action)[-1] for mark in marks)


@pytest.mark.parametrize("name", ATOMS)
def test_every_prompt_offers_every_action(name: str) -> None:
    kind = ATOMS[name]
    arguments = ", ".join(one.name for one in parameters(kind))
    assert f"{name}({arguments}): {kind.description}" in action_lines(OUR_ACTIONS).splitlines()
    for output in ("json", "headers"):
        assert f'"{name}"' in format_body(DecideReply, output, SIZE)  # type: ignore[arg-type]
    assert name in format_body(DecideReply, "tool_call", SIZE)


@given(st.sampled_from(list(ATOMS.values())).flatmap(model))
def test_a_phone_carries_out_what_touches_it_and_nothing_else(action: AtomicAction) -> None:
    size = Size(width=16384, height=16384)
    inside = action.model_copy(
        update={one.field: 5 for point in point_parameters(type(action)) for one in point},
    )
    if action.touches and not any(one.mark == TextArgument(label=True) for one in parameters(type(action))):
        assert commands_for(inside, PhoneFacts(size, adb_keyboard=True, apps=None))
    else:
        with pytest.raises(ActionRefused):
            commands_for(inside, PhoneFacts(size, adb_keyboard=True, apps=None))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"text": str}, "Half lacks description, no_effect, a mark of text"),
        ({"x": X}, "Half lacks description, no_effect, a y for each x"),
        ({"much": Annotated[int, ArgumentType()]}, "Half lacks description, no_effect, an example of much"),
    ],
)
def test_a_declaration_that_is_not_whole_is_refused_when_it_is_imported(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        type("Half", (BaseAtomicAction,), {"__module__": __name__, "__annotations__": {"name": str, **fields}})


@dataclass(frozen=True, slots=True)
class Percent(ArgumentType):
    """A kind of argument of which nothing but an example is said."""

    def example(self, default: Any) -> Any:
        return 200


class Zoom(WrittenAction):
    name: Literal["Zoom"] = "Zoom"
    x: X
    y: Y
    factor: Annotated[int, Percent(says="How large it gets, in percent")] = Field(ge=25, le=400)

    description = "zoom at the point (x, y)."
    no_effect = "It may not zoom."


def test_a_new_kind_of_argument_is_all_said_by_its_mark() -> None:
    actions = ActionSet.of((Zoom,))
    factor = actions.specs["Zoom"].parameters[-1]
    assert action_lines(actions) == f"Zoom(x, y, factor): {Zoom.description}"
    assert factor.mark.schema(factor.kind) == {"type": "integer", "minimum": 25, "maximum": 400}
    reply = actions.specs["Zoom"].reply
    assert reply.model_validate({"name": "Zoom", "x": 1, "y": 2, "factor": factor.example})
    for wrong in ({}, {"factor": 20}, {"factor": 401}, {"factor": "wide"}):
        with pytest.raises(ValidationError):
            reply.model_validate({"name": "Zoom", "x": 1, "y": 2, **wrong})


def test_an_argument_that_is_not_offered_keeps_its_default() -> None:
    written = '{"thought": "", "action": {"name": "Type", "text": "tea"}, "expectation": ""}'
    reply = parse(PaperDecideReply, written)
    assert read_action(reply.action, QWEN3, examples.SIZE, ()) == Type(text="tea", clear=False)
    for unasked in ('{"name": "Type", "text": "tea", "clear": true}', '{"name": "Long_Press", "x": 1, "y": 1}'):
        with pytest.raises(ReplyUnusable):
            parse(PaperDecideReply, f'{{"thought": "", "action": {unasked}, "expectation": ""}}')
