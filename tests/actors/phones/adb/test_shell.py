from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyhands.actors.phones.adb.shell import keyed_line, quote
from manyhands.protocol.errors import BadInput

ARGUMENTS = st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
AWKWARD = [
    "",
    " ",
    "'",
    "''",
    '"',
    "\\",
    "\\'",
    "$HOME",
    "`id`",
    "$(id)",
    "a;b",
    "a && b",
    "a|b>c<d",
    "#no comment",
    "A=b",
    "~",
    "*?[a]",
    "line\nline",
    "-n",
    "!x",
    "{a,b}",
    "日本 😀 é",
    "https://a.example//b?c=d&e=f#g",
]


@given(ARGUMENTS)
def test_an_argument_is_one_word_again(argument: str) -> None:
    assert shlex.split(quote(argument), comments=True) == [argument]


@given(st.lists(ARGUMENTS, min_size=1, max_size=4), st.from_regex(r"[A-Za-z0-9_.:/-]{1,50}", fullmatch=True))
def test_a_keyed_line_is_an_assignment_and_the_command(words: list[str], key: str) -> None:
    line = keyed_line(key, [["input", *words]])
    assert line.startswith(f"MH_KEY='{key}' ")
    assert shlex.split(line, comments=True) == [f"MH_KEY={key}", "input", *words]


def test_a_real_shell_reads_arguments_as_they_were() -> None:
    line = keyed_line("k", [["printf", "%s\\0", *AWKWARD], ["printf", "%s", "end"]])
    printed = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=True).stdout.decode()
    assert printed == "\0".join(AWKWARD) + "\0end"


def test_commands_after_a_failed_one_do_not_run() -> None:
    line = keyed_line("k", [["false"], ["echo", "ran"]])
    ran = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, b"")


@pytest.mark.parametrize("argument", ["a\0b", "\ud83d"])
def test_what_no_argument_can_carry_is_refused(argument: str) -> None:
    with pytest.raises(BadInput, match="cannot be an argument"):
        quote(argument)
