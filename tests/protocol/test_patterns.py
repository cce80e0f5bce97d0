"""Regular expressions of tasks: what they match, and that none can hold up the process."""

from __future__ import annotations

import re

import pytest

from manyhands.protocol.errors import BadInput
from manyhands.protocol.tasks.answers import AnswerSpec
from manyhands.protocol.tasks.value_tests import BadPattern, ValueTest, holds_match, pattern_size

CHOICES = "|".join("." * 30)
FREEZING = [f"^(?:{CHOICES})*!$", "^(a+)+$", "(x+x+)+y", "(a|aa)+$", r"(\w+\s?)*!$"]
MOST_STEPS = 20_000
"""Steps for each byte. RE2 takes no more, whatever the text is, so this bounds the work without a clock."""


@pytest.mark.parametrize("pattern", FREEZING)
def test_a_pattern_that_froze_a_host_is_searched_in_bounded_steps(pattern: str) -> None:
    assert pattern_size(pattern, ignore_case=True) < MOST_STEPS
    assert not ValueTest(matches=pattern).accepts("a" * 30_000 + "?x")
    spec = AnswerSpec(schema={"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}})
    assert "does not match" in str(spec.problem({"a": "a" * 30_000 + "?"}))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\bcaps?\b", "two Caps here"), ("^cap-", "cap-7"), (r"\w", "购物"), (r"[\w ]+", "购物"), (r"^\W+$", "。"),
        (r"^\d+$", "１２"), ("^(Alice|陈晓雨)$", "陈晓雨"), (r"a[\s\S]*b", "a\n购 b"), (r"deep.dish", "deep-dish"),
        (r"2\.4 ?K", "2.4 k"), (r"^\s$", "\u00a0"), ("\\u8d2d", "购物"), ("ä", "Ä"), (r"a\Z", "ba"), (r"[]x]", "]"),
        ("^a{,5}$", "aaa"), ("^a{,}$", "aaa"), (r"^[]\w]{2}$", "]购"), (r"^[^]\w]$", "。"), (r"^[a[]\w{,2}$", "[购"),
        (r"^[{,5}]+$", "{,5}"),
    ],
)  # fmt: skip
def test_a_pattern_matches_what_it_matches_in_python(pattern: str, text: str) -> None:
    assert re.search(pattern, text, re.IGNORECASE)
    assert holds_match(pattern, text, ignore_case=True)


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(a)\1", "a{1000}{1000}", "(?:a{1000}){1000}", "a" * 1001])
def test_a_pattern_that_cannot_be_bounded_is_refused_where_it_is_given(pattern: str) -> None:
    with pytest.raises(BadPattern):
        pattern_size(pattern)
    with pytest.raises(BadInput, match=r"matches: (?:a pattern of|not a regular expression)"):
        ValueTest(matches=pattern)
    with pytest.raises(BadInput, match=r"schema\.properties\.a\.pattern is"):
        AnswerSpec(schema={"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}})


def test_many_large_patterns_of_one_schema_are_refused() -> None:
    many = [{"type": "string", "pattern": f"{letter}{{900}}[a-z]{{900}}$"} for letter in "abcdefghijklmnopqrstuvwxyz"]
    with pytest.raises(BadInput, match="patterns of the schema"):
        AnswerSpec(schema={"anyOf": many})


def test_half_a_character_is_no_error() -> None:
    assert ValueTest(matches="^a.b$").accepts("a\ud800b")
