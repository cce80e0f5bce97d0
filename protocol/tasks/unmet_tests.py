"""Say why a predicate does not hold: what it expected, in the task's own words, and what was found instead."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from manyhands.protocol.base import Input, Message
from manyhands.protocol.tasks.predicates import (
    AllOf,
    AnswerTest,
    AnyOf,
    Evidence,
    JudgedStatement,
    JudgeTest,
    Not,
    NotNeeded,
    Predicate,
    SomeItem,
    Value,
    answer_values,
    evaluate,
    find,
    items_of,
    unanswered,
)
from manyhands.protocol.tasks.state_tests import ANSWER, StateTest
from manyhands.protocol.tasks.value_tests import Json, cut, quote

LONGEST_TEXT = 300
"""The most characters that are kept of what was expected, and of what was found."""
_SHOWN = 3
"""How many values or items are shown. Of further values or items only the number is shown."""


class UnmetTest(Message):
    """Hold what a predicate expected, in the task's own words, and what was found instead."""

    expected: str = Field(max_length=LONGEST_TEXT)
    """What was expected."""
    found: str = Field(max_length=LONGEST_TEXT)
    """What was found instead."""

    def __str__(self) -> str:
        return f"expected {self.expected}; found {self.found}"


def unmet_tests(predicate: Predicate, evidence: Evidence) -> tuple[UnmetTest, ...]:
    """Return why ``predicate`` is not certainly true: one test for each part that does not hold.

    The result is empty if the predicate is true. A part whose answer is missing counts as one that does not hold. Its
    ``found`` says why the answer is missing. A statement about which no judge had to be asked is left out.
    """
    if evaluate(predicate, evidence) is True:
        return ()
    if isinstance(predicate, JudgeTest) and isinstance(evidence.judged(predicate.judge), NotNeeded):
        return ()
    if isinstance(predicate, AllOf):
        return tuple(test for part in predicate.all for test in unmet_tests(part, evidence))
    actual = _found_instead(predicate, evidence)
    return (UnmetTest(expected=cut(describe(predicate), LONGEST_TEXT), found=cut(actual, LONGEST_TEXT)),)


def describe(predicate: Predicate) -> str:
    """Write a predicate in words, with the paths and values that the task's author wrote."""
    if isinstance(predicate, AllOf):
        return " and ".join(_within(part, AnyOf) for part in predicate.all)
    if isinstance(predicate, AnyOf):
        return " or ".join(_within(part, AllOf) for part in predicate.any)
    if isinstance(predicate, Not):
        return f"not ({describe(predicate.not_)})"
    if isinstance(predicate, SomeItem):
        return f"an item of {predicate.some} with ({describe(predicate.holds)})"
    if isinstance(predicate, StateTest):
        return predicate.criteria().describe()
    if isinstance(predicate, JudgeTest):
        return f"that a judge says yes to {quote(predicate.judge)}"
    if isinstance(predicate, AnswerTest):
        where = "" if predicate.answer.path is None else f" at {predicate.answer.path}"
        return f"an answer that{where} {predicate.answer.describe()}"
    return f"{predicate.path} {_describe_test(predicate)}"


def _within(part: Predicate, grouped: type[Input]) -> str:
    return f"({describe(part)})" if isinstance(part, grouped) else describe(part)


def _describe_test(test: Value) -> str:
    if test.contains_at is not None:
        return f"contains what {test.contains_at} has"
    if test.count_at_least is not None:
        return f"has at least {test.count_at_least} items"
    if test.exists is not None:
        return "exists" if test.exists else "does not exist"
    return test.describe()


def _found_instead(predicate: Predicate, evidence: Evidence) -> str:
    """Return what was found at the place that ``predicate`` tests. The predicate must not hold."""
    if isinstance(predicate, AllOf | AnyOf):
        parts = predicate.all if isinstance(predicate, AllOf) else predicate.any
        return "; ".join(_found_instead(part, evidence) for part in parts if evaluate(part, evidence) is not True)
    if isinstance(predicate, Not) and isinstance(predicate.not_, AllOf | AnyOf | Not):
        return "that it holds" if evaluate(predicate.not_, evidence) else _found_instead(predicate.not_, evidence)
    leaf = predicate.not_ if isinstance(predicate, Not) else predicate
    reason = unanswered(leaf, evidence)
    if reason is not None:
        return f"nothing, for it could not be asked: {reason}"
    if isinstance(leaf, StateTest):
        return leaf.criteria().found(evidence.answer(leaf.criteria().source))
    if isinstance(leaf, JudgeTest):
        return _judge_said(leaf, evidence)
    if isinstance(leaf, AnswerTest):
        return _answer_found(leaf, evidence)
    if isinstance(leaf, SomeItem):
        if isinstance(predicate, Not):
            return "that it holds"
        items = _nearest(leaf.holds, evidence, items_of(leaf, evidence.state))
        return _excerpt([_found_instead(leaf.holds, evidence.at(item)) for item in items]) if items else "no item"
    assert isinstance(leaf, Value), "the other forms are answered above"
    return _values_at(leaf, evidence.state)


def _nearest(predicate: Predicate, evidence: Evidence, items: Sequence[Json]) -> Sequence[Json]:
    """Return the items of which the most parts of ``predicate`` hold: these may be the ones that were meant."""
    parts = predicate.all if isinstance(predicate, AllOf) else (predicate,)
    passed = [sum(evaluate(part, evidence.at(item)) is True for part in parts) for item in items]
    most = max(passed, default=0)
    return [item for item, count in zip(items, passed, strict=True) if count == most]


def _judge_said(test: JudgeTest, evidence: Evidence) -> str:
    verdict = evidence.judged(test.judge)
    assert isinstance(verdict, JudgedStatement), "a missing answer is told elsewhere"
    return f"that the judge says {'yes' if verdict.is_true else 'no'}: {' '.join(verdict.reason.split())}"


def _answer_found(test: AnswerTest, evidence: Evidence) -> str:
    values = answer_values(test, evidence)
    if values:
        return _excerpt([quote(value) for value in values])
    return "no answer" if evidence.answer(ANSWER) is None else f"the answer {quote(evidence.answer(ANSWER))}"


def _values_at(test: Value, state: Json) -> str:
    values = list(find(state, test.path))
    if test.count_at_least is not None:
        counts = [str(len(value)) for value in values if isinstance(value, list | dict)]
        return f"{_excerpt(counts)} items" if counts else "no list"
    return _excerpt([quote(value) for value in values]) if values else "nothing"


def _excerpt(texts: list[str]) -> str:
    more = [f"and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else []
    return ", ".join([*texts[:_SHOWN], *more])
