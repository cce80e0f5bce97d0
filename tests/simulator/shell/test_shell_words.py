"""Word splitting, against shlex where the two agree, and the grammar."""

from __future__ import annotations

import asyncio
import shlex

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from manyhands.simulator.shell.command import Environment
from manyhands.simulator.shell.language.expansion import Expander
from manyhands.simulator.shell.language.lexer import Lexer
from manyhands.simulator.shell.language.parser import Group, Simple, parse
from manyhands.simulator.shell.language.words import Redirect, ShellSyntaxError, Word
from manyhands.simulator.system.files import PhoneFiles

FILES = PhoneFiles()


async def nothing(source: str) -> bytes:
    raise AssertionError("there is nothing to substitute")


def words_of(text: str) -> list[str]:
    """The arguments that a text gives, expanded. Raises ShellSyntaxError."""

    async def expand() -> list[str]:
        expander = Expander(Environment(), FILES, nothing)
        tokens = Lexer(text).tokens()
        assert all(isinstance(token, Word) for token in tokens), tokens
        return [field for token in tokens if isinstance(token, Word) for field in await expander.fields(token)]

    return asyncio.run(expand())


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12), max_size=5))
def test_quoted_arguments_arrive_exactly(arguments: list[str]) -> None:
    assert words_of(shlex.join(arguments)) == arguments


@given(st.text("ab '\"\\\t1", max_size=14))
def test_words_are_shlex_words_where_both_follow_posix(text: str) -> None:
    try:
        expected = shlex.split(text)
    except ValueError as error:
        assume("escaped" not in str(error))  # a backslash at the end: shlex objects, a shell keeps it
        with pytest.raises(ShellSyntaxError, match="no closing quote"):
            words_of(text)
    else:
        assert words_of(text) == expected


@given(st.text("ab'\"\\$`;&|()<>{}!# \n12=*?[]~", max_size=20))
def test_any_text_is_a_script_or_a_syntax_error(text: str) -> None:
    try:
        script = parse(text)
    except ShellSyntaxError:
        return
    assert all(pipeline.commands for item in script.items for pipeline in (item.first, *(p for _, p in item.rest)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"it\'s", ["it's"]),
        ('"a\\"b" "\\x" "\\$x"', ['a"b', "\\x", "$x"]),
        ("'' \"\" a''b", ["", "", "ab"]),
        ("a # comment", ["a"]),
        ("a#b", ["a#b"]),
        ("one\\\ntwo", ["onetwo"]),
        ("$NOTHING", []),
        ('"$NOTHING"', [""]),
        ("${NOTHING:-x}${HOME}", ["x/"]),
        ("$EXTERNAL_STORAGE/f", ["/sdcard/f"]),
        ("5$ $", ["5$", "$"]),
        ("'*' \\* \"/sdcard/D*\"", ["*", "*", "/sdcard/D*"]),
        ("/sdcard/D*", ["/sdcard/DCIM", "/sdcard/Documents", "/sdcard/Download"]),
        ("/sdcard/X*", ["/sdcard/X*"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "'a",
        '"a',
        "echo (",
        "(echo a",
        "echo a)",
        "()",
        "{ echo a",
        "| a",
        "a |",
        "a &&",
        "; a",
        "a ;; b",
        "a &",
        "a >",
        "a > ; b",
        "a << EOF",
        "$(echo",
        "$(echo ')",
        "`echo",
        "echo $((1+1))",
        "echo ${x/y}",
        "echo $'a'",
        "$(" * 30 + ")" * 30,
        "(" * 30 + "true" + ")" * 30,
        "$(echo (",
    ],
)
def test_syntax_errors(text: str) -> None:
    with pytest.raises(ShellSyntaxError):
        parse(text)


def test_structure() -> None:
    script = parse("A=1 B='2 3' cmd x 2>&1 >/f < /g && ! a | b || (c; d) > /h; e\n\nf;")
    first, second, third = script.items
    (command,) = first.first.commands
    assert isinstance(command, Simple)
    assert [item.name for item in command.assignments] == ["A", "B"]
    assert [word.plain for word in command.words] == ["cmd", "x"]
    assert [(redirect.fd, redirect.operator) for redirect in command.redirects] == [(2, ">&"), (1, ">"), (0, "<")]
    assert [(operator, len(pipeline.commands), pipeline.negated) for operator, pipeline in first.rest] == [
        ("&&", 2, True),
        ("||", 1, False),
    ]
    group = first.rest[1][1].commands[0]
    assert isinstance(group, Group)
    assert (group.subshell, len(group.script.items), len(group.redirects)) == (True, 2, 1)
    assert len(second.first.commands) == len(third.first.commands) == 1


def test_a_digit_is_a_descriptor_only_next_to_its_operator() -> None:
    tokens = Lexer("a2>x 2 >y").tokens()
    assert [token.fd for token in tokens if isinstance(token, Redirect)] == [1, 1]
    assert [token.plain for token in tokens if isinstance(token, Word)] == ["a2", "2"]


def test_many_dollars_are_read_quickly() -> None:
    assert len(Lexer("$a" * 100_000).tokens()) == 1
