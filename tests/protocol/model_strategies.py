"""Hypothesis strategies for pydantic models, made from their fields and bounds."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo

from manyhands.protocol.messages import CallTokens
from manyhands.protocol.phones import Perform
from manyhands.protocol.policy import digest_action
from manyhands.protocol.screens.geometry import Box
from manyhands.protocol.screens.screen import Element
from manyhands.protocol.tasks.answers import AnswerSpec
from manyhands.protocol.tasks.build import Build, DeviceSettings
from manyhands.protocol.tasks.flow import FlowAction, Target
from manyhands.protocol.tasks.predicates import AllOf, AnswerTest, AnyOf, JudgeTest, Not, Predicate, SomeItem, Value
from manyhands.protocol.tasks.side_effects import AllowedChange
from manyhands.protocol.tasks.state_tests import AgentAnswer, StateTest
from manyhands.protocol.tasks.task import Check, Rubric, TaskSpec
from manyhands.protocol.tasks.value_tests import ValueTest

MOST = 3
"""Items of a generated list or mapping."""
INT_LIMIT = 2**53

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-INT_LIMIT, INT_LIMIT)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=MOST) | st.dictionaries(st.text(max_size=5), inner, max_size=MOST),
    max_leaves=6,
)
paths = st.from_regex(r"[a-z*0-9]{1,4}(\.[a-z*0-9]{1,4}){0,2}", fullmatch=True)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    x1, y1 = draw(st.integers(-100, 5000)), draw(st.integers(-100, 5000))
    return Box(x1=x1, y1=y1, x2=x1 + draw(st.integers(0, 3000)), y2=y1 + draw(st.integers(0, 3000)))


tests = (
    st.fixed_dictionaries({"equals": st.text(max_size=5) | st.integers(-9, 9) | st.floats(-9, 9) | st.booleans()})
    | st.fixed_dictionaries({"contains": st.text(max_size=5)})
    | st.fixed_dictionaries({"contains_at": paths})
    | st.fixed_dictionaries({"matches": st.sampled_from(["a", "^b.*$", "[0-9]+", "(x|y)"])})
    | st.fixed_dictionaries({"at_least": st.floats(-9, 9)})
    | st.fixed_dictionaries({"at_most": st.floats(-9, 9)})
    | st.fixed_dictionaries({"count_at_least": st.integers(-1, 5)})
    | st.fixed_dictionaries({"exists": st.booleans()})
)
texts = st.text(max_size=5)
one_value = (
    st.fixed_dictionaries({"equals": texts}) | st.fixed_dictionaries({"contains": texts}) | texts | st.integers(-9, 9)
)
state_tests = st.one_of(
    st.fixed_dictionaries({"sms": st.fixed_dictionaries({"contact": one_value, "read": st.booleans()})}),
    st.fixed_dictionaries({"ui": st.fixed_dictionaries({"class": one_value})}),
    st.fixed_dictionaries({"setting": st.fixed_dictionaries({"name": st.just("global.a_b"), "value": one_value})}),
    st.fixed_dictionaries({"app": st.fixed_dictionaries({"package": st.just("a.b"), "installed": st.booleans()})}),
    st.fixed_dictionaries({"file": st.fixed_dictionaries({"path": st.just("a/b c"), "exists": st.booleans()})}),
    st.fixed_dictionaries({"shell": st.fixed_dictionaries({"line": st.just("id"), "code": st.integers(0, 9)})}),
    st.fixed_dictionaries({"screen": st.fixed_dictionaries({"text": one_value})}),
).map(StateTest.model_validate)
asked_elsewhere: st.SearchStrategy[Predicate] = state_tests | st.builds(
    lambda path, text: AnswerTest(answer=AgentAnswer(path=path, contains=text)), st.none() | paths, texts
)
judged: st.SearchStrategy[Predicate] = st.builds(lambda words: JudgeTest(judge=words), st.text(min_size=1, max_size=5))


def combined(leaves: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
    """Predicates made of these and of tests on a provider's state."""
    return st.recursive(
        st.builds(lambda path, test: Value(path=path, **test), paths, tests) | leaves,
        lambda inner: (
            st.builds(lambda parts: AllOf(all=tuple(parts)), st.lists(inner, min_size=1, max_size=MOST))
            | st.builds(lambda parts: AnyOf(any=tuple(parts)), st.lists(inner, min_size=1, max_size=MOST))
            | st.builds(lambda part: Not(not_=part), inner)
            | st.builds(lambda path, part: SomeItem(some=path, holds=part), paths, inner)
        ),
        max_leaves=5,
    )


predicates = combined(asked_elsewhere | judged)
of_the_phone = combined(asked_elsewhere)
"""Predicates that a rubric may have, which asks no judge."""


allowed_changes = st.one_of(
    st.builds(lambda path: AllowedChange(changed=path), paths),
    st.builds(lambda path: AllowedChange(added=path, item={"a": ValueTest(equals="b")}, most=3), paths),
)


token_ids = st.lists(st.integers(0, 2**32 - 1), max_size=MOST)
call_tokens = st.builds(
    lambda prompt, pairs: CallTokens.pack(prompt, [id for id, _ in pairs], [logprob for _, logprob in pairs]),
    token_ids,
    st.lists(st.tuples(st.integers(0, 2**32 - 1), st.floats(max_value=0, width=32)), max_size=MOST),
)


answer_specs = st.sampled_from([{"required": True}, {"schema": {"type": "string"}}]).map(AnswerSpec.model_validate)


@st.composite
def model(draw: st.DrawFn, kind: type[BaseModel]) -> Any:
    """An instance of ``kind`` with every field drawn within its bounds."""
    if kind is Box:
        return draw(boxes())
    if kind in (AllOf, AnyOf, Not, SomeItem, Value, StateTest, AnswerTest, JudgeTest):
        return draw(predicates)
    if kind is CallTokens:
        return draw(call_tokens)
    if kind is AllowedChange:
        return draw(allowed_changes)
    if kind is AnswerSpec:
        return draw(answer_specs)
    values = {
        field.alias or name: draw(of(field.annotation, tuple(field.metadata)))
        for name, field in kind.model_fields.items()
    }
    if kind is FlowAction:
        values |= {"target": Target(text="OK"), "app": "Notes", "text": "Milk", "direction": "up"}
    if kind is Target:
        values["control"] = values["control"] or "Button"
    if kind is Build:
        values["sha256"] = ["0" * 64] * len(values["install"])
    if kind is Rubric:
        values["holds"] = draw(st.none() | of_the_phone)
    if kind is Perform:
        values["verdict"] = digest_action(values["action"])
    if kind is TaskSpec:
        values["allow"] = draw(st.lists(st.sampled_from(["pay", "send:Messages", "delete:*:Old note"]), max_size=2))
    if kind is Check:
        values["source"] = "content://a/b"
    if kind is TaskSpec:
        values["phones"] = draw(st.sampled_from(["", "model=pixel", "app:Maps>=11, !lab"]))
        values["matrix"] = "" if values["group"] is not None else draw(st.sampled_from(["", "model"]))
        values["unchanged"] = draw(st.lists(st.sampled_from(["sms", "settings.global", "content://a/b"]), max_size=2))
        values["changes"] = values["changes"] if values["unchanged"] else ()
        values["build"] = draw(st.sampled_from([None, Build(package="com.example.app", install="app.apk", clear=True)]))
        values["device"] = draw(st.sampled_from([None, DeviceSettings(dark_mode=True, font_scale=1.3)]))
        if values["group"] is None:
            values["group_enough"] = None
        else:
            values["group_enough"] = min(values["group_enough"] or 1, values["group"])
            values |= {"retries": 0, "memory_scope": None, "by_hand": None}
        there = len(values["human_operations"])
        if there:
            values["human_steps"] = there if values["human_steps"] else None
        named = {rubric.name: rubric for rubric in values["rubrics"]}.values()
        values["rubrics"] = [one.model_copy(update={"by": one.by if (one.by or 0) <= there else None}) for one in named]
    if kind is Element and values["columns"]:
        values["columns"] = draw(st.tuples(*[st.integers(0, 5000)] * len(values["content"])))
    return kind.model_validate(values)


@cache
def of(annotation: Any, bounds: tuple[Any, ...] = ()) -> st.SearchStrategy[Any]:
    """Values of a type with pydantic's bounds."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Any or annotation is JsonValue:
        return json_values
    if origin is Annotated:
        own = [limit for one in arguments[1:] for limit in (one.metadata if isinstance(one, FieldInfo) else [one])]
        return of(arguments[0], bounds + tuple(own))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, UnionType):
        return st.one_of([of(argument, bounds) for argument in arguments])
    if annotation is NoneType:
        return st.none()
    shortest, longest = _limit(bounds, "min_length") or 0, _limit(bounds, "max_length") or 10**6
    if origin is tuple and Ellipsis not in arguments:
        return st.tuples(*map(of, arguments))
    if origin in (tuple, list):
        return st.lists(of(arguments[0]), min_size=shortest, max_size=min(MOST, longest)).map(origin)
    if origin is dict:
        return st.dictionaries(of(arguments[0]), of(arguments[1]), max_size=MOST)
    if issubclass(annotation, Enum):
        return st.sampled_from(annotation)
    if issubclass(annotation, BaseModel):
        return model(annotation)
    if annotation is bool:
        return st.booleans()
    above = _limit(bounds, "gt")
    low = above if above is not None else _limit(bounds, "ge", -INT_LIMIT)
    high = _limit(bounds, "le", INT_LIMIT)
    if annotation is int:
        return st.integers(math.floor(low) + 1 if above is not None else math.ceil(low), math.floor(high))
    if annotation is float:
        return st.floats(low, high, exclude_min=above is not None)
    if annotation is str:
        pattern = _limit(bounds, "pattern")
        if pattern is not None:
            return st.from_regex(pattern.removesuffix("$") + r"\Z")
        return st.text(min_size=shortest, max_size=min(shortest + 12, longest))
    if annotation is datetime:
        return st.datetimes(timezones=st.just(UTC))
    raise TypeError(f"no strategy for {annotation}")


def _limit(bounds: tuple[Any, ...], name: str, default: Any = None) -> Any:
    return next((value for bound in bounds if (value := getattr(bound, name, None)) is not None), default)
