"""grep of a virtual phone: what it finds is what GNU's finds, and no pattern of a client holds up the others."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from manyhands.simulator.shell import patterns
from manyhands.simulator.shell.commands import grep
from manyhands.simulator.shell.patterns import BadPattern, Pattern
from tests.examples import examples
from tests.simulator.shell.conftest import PhoneShell

SOON_S = 5.0
UNDEFINED = re.compile(r"(^|[(|^])\\?[*+?{]|\$\)")
"""POSIX does not say what is repeated where nothing stands before the sign. GNU's grep takes `$)` in a basic pattern
for these two characters, but in `$)a*`, which holds wherever `$)` does, for an anchor."""
TICK_S = 0.01
PIECES = ["a", "b", "c", ".", "*", "+", "?", "|", "(", ")", "^", "$", "[ab]", "[^a]", "[a\\]", "[]b]", "\\+", "\\|"]
PIECES += ["\\(", "\\)", "\\.", "[[:digit:]]", "é", "a{2}", "a\\{2\\}"]


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ("printf 'x=1\\ny=2\\n' | grep -o '[a-z0-9]'", "x\n1\ny\n2\n"),
        ("printf 'aXbXc\\n' | grep -no X", "1:X\n1:X\n"),
        ("printf 'aaa\\n' | grep -o 'a*'", "aaa\n"),
        ("printf 'aab ab\\n' | grep -oE 'a|aa|aab'", "aab\na\n"),
        ('printf \'<a b="1"/><a b="2"/>\' | grep -oE \'b="[^"]*"\'', 'b="1"\nb="2"\n'),
        ("printf 'a\\nb\\n' | grep -vo a || true", ""),
        ("printf '你好 好\\n' | grep -o 好", "好\n好\n"),
        ("printf 'A a\\n' | grep -io a", "A\na\n"),
        ("printf 'x -a\\ny-ab\\n' | grep -we '-a'; echo 好 | grep -w 好", "x -a\n好\n"),
        ("printf 'a a a_b ba a\\n' | grep -now a", "1:a\n1:a\n1:a\n"),
        ("printf 'x\\n' | grep -H x", "(standard input):x\n"),
        ("printf '1+1\\n' | grep '1+1'; printf '*a\\n' | grep '*a'; printf 'a^b\\n' | grep 'a^b'", "1+1\n*a\na^b\n"),
        (r"printf 'a\\b\n' | grep '[\]'", "a\\b\n"),
        (r"printf 'word wordy\n' | grep -o '\<word\>'", "word\n"),
    ],
)
async def test_what_is_printed(shell: PhoneShell, line: str, out: str) -> None:
    assert await shell.out(line) == out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("echo a | grep -E '(a'", "missing )"),
        ("echo a | grep 'a[b'", "brackets"),
        ("echo a | grep 'a\\'", "trailing backslash"),
        ("echo aa | grep '\\(a\\)\\1'", "escape sequence"),
        ("echo a | grep -E 'a)|(a'", ""),
        (f"echo a | grep {'a' * 20000}", "more than"),
        ("echo a | grep -Q a", "Unknown option -Q"),
        ("echo a | grep", "no REGEX"),
    ],
)
async def test_what_cannot_be_run_is_said(shell: PhoneShell, line: str, said: str) -> None:
    answer = await shell.run(line)
    assert answer.status == grep.TROUBLE
    assert answer.err.startswith("grep: ")
    assert said in answer.err


async def test_a_pattern_that_backtracks_for_ever_elsewhere_is_done_at_once(shell: PhoneShell) -> None:
    """Python's own engine takes 2^40 steps for this and freezes every phone of the process."""
    started = time.monotonic()
    assert (await shell.run(f"echo {'a' * 40}! | grep -E '(a+)+$'")).status == 1
    assert (await shell.run(f"echo {'a' * 5000}! | grep -E '(a*)*(a|aa)+$'")).status == 1
    assert time.monotonic() - started < SOON_S


@pytest.mark.parametrize("command", ["grep -E '(a|b)*a(a|b){900}c'", "grep -oE 'a(.*b)?'", "grep -E '(a?){900}b'"])
async def test_much_work_neither_holds_up_others_nor_goes_on_for_ever(
    shell: PhoneShell, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines that make even RE2 slow: others have their turn meanwhile, and after a time it is refused."""
    monkeypatch.setattr(patterns, "LONGEST_S", 1.0)
    shell.phone.files.write("/sdcard/long", (b"a" * 100_000 + b"\n") * 50)
    work = asyncio.create_task(shell.run(f"{command} /sdcard/long"))
    longest = 0.0
    while not work.done():
        before = time.monotonic()
        await asyncio.sleep(TICK_S)
        longest = max(longest, time.monotonic() - before)
    answer = await work
    assert (answer.status, answer.out) == (grep.TROUBLE, "")
    assert "longer than a virtual phone gives it" in answer.err
    assert longest < 1.0, "the loop was held up"


async def test_a_client_that_goes_ends_the_search(shell: PhoneShell) -> None:
    shell.phone.files.write("/sdcard/long", (b"a" * 20_000 + b"\n") * 2000)
    work = asyncio.create_task(shell.run("grep -E '(a|b)*a(a|b){900}c' /sdcard/long"))
    await asyncio.sleep(0.05)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    started = time.monotonic()
    await asyncio.get_running_loop().shutdown_default_executor()
    assert time.monotonic() - started < SOON_S, "its thread went on"


async def test_one_line_is_never_looked_at_for_long(shell: PhoneShell) -> None:
    shell.phone.files.write("/sdcard/line", b"a" * 20_000_000)
    answer = await shell.run("grep -E '(a|b)*a(a|b){900}c' /sdcard/line")
    assert answer.status == grep.TROUBLE
    assert "too long" in answer.err


async def test_file_names_match_without_backtracking(shell: PhoneShell) -> None:
    await shell.out(f"touch /sdcard/{'a' * 250}")
    started = time.monotonic()
    pattern = "*a" * 500
    assert await shell.out(f"echo /sdcard/{pattern}b") == f"/sdcard/{pattern}b\n"
    await shell.out(f"echo /sdcard/{'a*' * 60_000} > /dev/null")
    assert time.monotonic() - started < SOON_S


@pytest.mark.skipif(shutil.which("grep") is None, reason="there is no grep to compare with")
@settings(max_examples=examples(150), deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
    st.lists(st.text("abc.+*()|^$[]\\é ", max_size=8), min_size=1, max_size=4),
    st.booleans(),
)
def test_it_finds_what_another_grep_finds(pattern: str, lines: list[str], is_extended: bool) -> None:
    """Where both take a pattern, both find the same. What POSIX leaves open they may refuse or read differently."""
    assume(UNDEFINED.search(pattern) is None)
    try:
        mine = Pattern([pattern], "extended" if is_extended else "basic")
    except BadPattern:
        return
    text = "\n".join(lines) + "\n"
    command = ["grep", "-E" if is_extended else "-G", "-n", "-e", pattern]
    theirs = subprocess.run(
        command, input=text.encode(), capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False
    )
    if theirs.returncode == grep.TROUBLE or theirs.stderr:
        return
    found = [b"%d:%s" % (number, line.encode()) for number, line in enumerate(lines, 1) if mine.holds(line.encode())]
    assert found == theirs.stdout.splitlines()
