"""Define and evaluate predicates for checks and rubrics: conditions on a phone's true state and on what an episode saw.

A check may name a provider, which answers its state as a tree of JSON values. These forms look into that state::

    {all: [P, ...]}   {any: [P, ...]}   {not: P}
    {some: messages.threads, holds: P}            P holds for one item; paths in P start at the item
    {path: settings.dark_mode, equals: true}      or contains, contains_at, matches, at_least, at_most,
                                                  count_at_least, exists

A path consists of keys and list indices, joined by dots; ``*`` stands for every item. A test holds if one of the values
at the path passes it. A path that leads nowhere has no values. ``equals`` compares texts exactly; ``contains`` and
``matches`` ignore case. ``contains_at`` is for texts that the author of a task cannot know, such as today's date. It is
a second path, from the same start as ``path``. The test holds if a value at ``path`` contains one of the texts at
``contains_at``, with no digit directly before or after that text.

These forms need no provider::

    {sms: {contact: Emma, body: {contains: weekend}}}    what any phone tells (kinds: ``protocol.tasks.state_tests``)
    {answer: {contains: "42"}}                           the agent's last answer; with ``path`` a value of its JSON
    {judge: "The cart shows two cables."}                a statement; a model judges whether it is true
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag

from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.tasks.state_tests import ANSWER, KINDS, AgentAnswer, StateTest
from manyhands.protocol.tasks.value_tests import ONE_VALUE_TESTS, Json, ValueTest
from manyhands.protocol.utilities.validation_words import near_names, nearest

_TESTS = (*ONE_VALUE_TESTS, "contains_at", "count_at_least", "exists")


class AllOf(PublicInput):
    """Hold if all of several predicates hold."""

    all: tuple[Predicate, ...] = Field(min_length=1)
    """Predicates that must all hold."""


class AnyOf(PublicInput):
    """Hold if one of several predicates holds."""

    any: tuple[Predicate, ...] = Field(min_length=1)
    """Predicates of which one must hold."""


class Not(PublicInput):
    """Hold if a predicate does not hold."""

    not_: Predicate = Field(alias="not")
    """The predicate that must not hold."""
    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)


class SomeItem(PublicInput):
    """Hold if a predicate holds for one item of a list."""

    some: str = Field(min_length=1)
    """The path of a list."""
    holds: Predicate
    """The predicate that must hold for one item. Its paths start at the item."""


class Value(ValueTest):
    """Test the values to which a path leads."""

    path: str = Field(min_length=1)
    """Keys and list indices, joined by dots, from the root of the state; ``*`` stands for every item."""
    contains_at: str | None = Field(default=None, min_length=1)
    """A second path: a value at ``path`` contains one of the texts there."""
    count_at_least: int | None = None
    """How many values the path must lead to at least."""
    exists: bool | None = None
    """Whether the path must lead to a value."""

    @classmethod
    def test_names(cls) -> tuple[str, ...]:
        return _TESTS

    def subject(self) -> str:
        return f"path {self.path!r}"


class AnswerTest(PublicInput):
    """Test the agent's answer."""

    answer: AgentAnswer
    """The test on the agent's answer."""


class JudgeTest(PublicInput):
    """Let a model judge whether a statement is true, when the episode has ended."""

    judge: str = Field(min_length=1, max_length=1000)
    """The statement, in words."""


FORMS = ("all", "any", "not", "some", "path", "answer", "judge", *KINDS)
"""The keys by which a predicate is recognised."""
_NEEDED = f"a predicate is a mapping with one of the keys {', '.join(FORMS)}"


def _form(value: Any) -> str | None:
    if isinstance(value, dict):
        keys = set(value)
    elif isinstance(value, PublicInput):
        keys = value.model_fields_set
    else:
        return None
    for form in ("all", "any", "not", "not_", "some", "answer", "judge"):
        if form in keys:
            return form.rstrip("_")
    return "state" if keys & set(KINDS) else "path"


def _names_a_form(value: Any) -> Any:
    """Refuse a mapping without the key of a form. The union would take it for a test of a path."""
    if not isinstance(value, dict) or _form(value) != "path" or "path" in value:
        return value
    slip = next(((key, near) for key in map(str, value) if (near := near_names(key, FORMS))), None)
    if slip is not None and slip[1] == ["path"]:
        return value  # the union names this one, and what else is wrong
    if slip is not None:
        raise ValueError(f"unknown key {slip[0]!r}{nearest(slip[1])}")
    if tests := [key for key in value if key in _TESTS]:
        raise ValueError(
            f"{tests[0]!r} needs the value that it tests: write the 'path' beside it, or test one of {', '.join(KINDS)}"
        )
    keys = ", ".join(map(repr, value)) or "an empty mapping"
    raise ValueError(f"{keys}: {_NEEDED}")


Predicate = Annotated[
    Annotated[AllOf, Tag("all")]
    | Annotated[AnyOf, Tag("any")]
    | Annotated[Not, Tag("not")]
    | Annotated[SomeItem, Tag("some")]
    | Annotated[StateTest, Tag("state")]
    | Annotated[AnswerTest, Tag("answer")]
    | Annotated[JudgeTest, Tag("judge")]
    | Annotated[Value, Tag("path")],
    Discriminator(_form, custom_error_type="predicate", custom_error_message=_NEEDED),
    BeforeValidator(_names_a_form),
]

for _model in (AllOf, AnyOf, Not, SomeItem):
    _model.model_rebuild()


# ---------------------------------------------------------------------------- what is asked
@dataclass(frozen=True, slots=True)
class Unanswered:
    """Stand for a missing answer. ``reason``: why it is missing, in one line."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotNeeded(Unanswered):
    """Stand for an answer that was not asked for, because the rest of the check decides the result."""


@dataclass(frozen=True, slots=True)
class JudgedStatement:
    """Hold a judge's yes or no, and its reason."""

    is_true: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Hold all answers that predicates are evaluated on."""

    state: Json = field(default_factory=dict)
    """The state of the check's provider; ``Unanswered`` if it could not be read."""
    answers: Mapping[str, Json] = field(default_factory=dict)
    """The answers of other sources, or ``Unanswered``, by address."""
    statements: Mapping[str, JudgedStatement | Unanswered] = field(default_factory=dict)
    """What a judge said of each statement."""

    def answer(self, source: str) -> Json:
        """Return the answer of a source, or ``Unanswered`` if the source was not asked."""
        return self.answers.get(source, Unanswered("nobody was asked"))

    def at(self, item: Json) -> Evidence:
        """Return the same evidence with ``item`` as the state, so that paths start at this item."""
        return replace(self, state=item)

    def judged(self, statement: str) -> JudgedStatement | Unanswered:
        """Return a judge's word on a statement, or ``Unanswered`` if no judge was asked."""
        return self.statements.get(statement, Unanswered("no judge was asked"))


def leaves(predicate: Predicate) -> Iterator[Predicate]:
    """Yield the parts of a predicate that need an answer: all forms except ``all``, ``any`` and ``not``."""
    if isinstance(predicate, AllOf | AnyOf):
        for part in predicate.all if isinstance(predicate, AllOf) else predicate.any:
            yield from leaves(part)
    elif isinstance(predicate, Not):
        yield from leaves(predicate.not_)
    elif isinstance(predicate, SomeItem):
        yield predicate
        yield from leaves(predicate.holds)
    else:
        yield predicate


def sources(predicate: Predicate) -> tuple[str, ...]:
    """Return the addresses that a predicate asks besides the check's provider, without repetitions."""
    names = []
    for leaf in leaves(predicate):
        if isinstance(leaf, StateTest):
            names.append(leaf.criteria().source)
        elif isinstance(leaf, AnswerTest):
            names.append(ANSWER)
    return tuple(dict.fromkeys(names))


def statements(predicate: Predicate) -> tuple[str, ...]:
    """Return the statements that a judge is asked about, without repetitions."""
    return tuple(dict.fromkeys(leaf.judge for leaf in leaves(predicate) if isinstance(leaf, JudgeTest)))


def asks_provider(predicate: Predicate) -> bool:
    """Return whether a predicate looks into the state of the check's provider."""
    return any(isinstance(leaf, SomeItem | Value) for leaf in leaves(predicate))


def find(state: Json, path: str) -> Iterator[Json]:
    """Yield every value that ``path`` leads to in ``state``."""
    key, _, rest = path.partition(".")
    children: list[Json]
    if key == "*":
        children = list(state.values()) if isinstance(state, dict) else list(state) if isinstance(state, list) else []
    elif isinstance(state, dict) and key in state:
        children = [state[key]]
    elif isinstance(state, list) and key.isdecimal() and int(key) < len(state):
        children = [state[int(key)]]
    else:
        children = []
    for value in children:
        if rest:
            yield from find(value, rest)
        else:
            yield value


# ---------------------------------------------------------------------------- whether one holds
def holds(predicate: Predicate, state: Json) -> bool:
    """Return whether ``predicate`` is certainly true, given only a provider's ``state`` and no other answer."""
    return evaluate(predicate, Evidence(state)) is True


def evaluate(predicate: Predicate, evidence: Evidence) -> bool | None:
    """Return whether ``predicate`` is true; None if that depends on a missing answer."""
    if isinstance(predicate, AllOf):
        return _all(evaluate(part, evidence) for part in predicate.all)
    if isinstance(predicate, AnyOf):
        return _not(_all(_not(evaluate(part, evidence)) for part in predicate.any))
    if isinstance(predicate, Not):
        return _not(evaluate(predicate.not_, evidence))
    if unanswered(predicate, evidence) is not None:
        return None
    if isinstance(predicate, SomeItem):
        items = items_of(predicate, evidence.state)
        return _not(_all(_not(evaluate(predicate.holds, evidence.at(item))) for item in items))
    if isinstance(predicate, StateTest):
        criteria = predicate.criteria()
        return criteria.holds(evidence.answer(criteria.source))
    if isinstance(predicate, JudgeTest):
        verdict = evidence.judged(predicate.judge)
        return isinstance(verdict, JudgedStatement) and verdict.is_true
    if isinstance(predicate, AnswerTest):
        return any(predicate.answer.accepts(value) for value in answer_values(predicate, evidence))
    values = list(find(evidence.state, predicate.path))
    if predicate.contains_at is not None:
        texts = [text for text in find(evidence.state, predicate.contains_at) if isinstance(text, str) and text]
        return any(_stands_in(text, value) for text in texts for value in values if isinstance(value, str))
    return _value_holds(predicate, values)


def unanswered(leaf: Predicate, evidence: Evidence) -> str | None:
    """Return why the answer that a leaf needs is missing; None if it is there."""
    if isinstance(leaf, SomeItem | Value):
        answer = evidence.state
    elif isinstance(leaf, StateTest):
        answer = evidence.answer(leaf.criteria().source)
    elif isinstance(leaf, JudgeTest):
        answer = evidence.judged(leaf.judge)
    else:
        answer = evidence.answer(ANSWER)
    return answer.reason if isinstance(answer, Unanswered) else None


def answer_values(test: AnswerTest, evidence: Evidence) -> list[Json]:
    """Return the values that are tested: the agent's answer, or the values at the path in it.

    The result may be empty.
    """
    text = evidence.answer(ANSWER)
    if not isinstance(text, str):
        return []
    if test.answer.path is None:
        return [text]
    try:
        return list(find(json.loads(text), test.answer.path))
    except (ValueError, RecursionError):
        return []


def items_of(predicate: SomeItem, state: Json) -> list[Json]:
    """Return the items of all lists at the predicate's path. A value that is no list counts as one item."""
    values = find(state, predicate.some)
    return [item for value in values for item in (value if isinstance(value, list) else [value])]


def _all(parts: Iterator[bool | None]) -> bool | None:
    """Return False if one part is false, True if all are true, otherwise None."""
    verdicts = list(parts)
    return False if False in verdicts else None if None in verdicts else True


def _not(part: bool | None) -> bool | None:
    return None if part is None else not part


def _stands_in(text: str, value: str) -> bool:
    return re.search(rf"(?<!\d){re.escape(text)}(?!\d)", value, re.IGNORECASE) is not None


def _value_holds(test: Value, values: list[Json]) -> bool:
    if test.exists is not None:
        return bool(values) == test.exists
    if test.count_at_least is not None:
        return any(isinstance(value, list | dict) and len(value) >= test.count_at_least for value in values)
    return any(test.accepts(value) for value in values)
