"""The live display on a real pseudo-terminal: another size, no colours, a terminal that can do nothing, none at all."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from tests.deploy.command_line.terminal_screen import TerminalScreen

PATIENCE_S = 60.0
FULL = 39
"""The rows of a picture that shows all phones."""
COMMAND = [sys.executable, "-m", "tests.deploy.command_line.displayed_run"]


class Pseudoterminal:
    """A program on a pseudo-terminal, and the screen that it draws."""

    def __init__(self, width: int, height: int, **environment: str) -> None:
        self.screen = TerminalScreen(width, height)
        self.written = ""
        self._master, slave = pty.openpty()
        self._set_size(width, height)
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.process = subprocess.Popen(
            COMMAND,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**kept, "TERM": "xterm-256color", **environment},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)

    def resize(self, width: int, height: int) -> None:
        """Give the terminal another size. The system tells the program by SIGWINCH."""
        self.screen.resize(width, height)
        self._set_size(width, height)

    def until(self, holds: Callable[[list[str]], bool]) -> list[str]:
        """Read until something holds of the rows of the screen."""
        ends = time.monotonic() + PATIENCE_S
        while not holds(self.screen.rows):
            assert time.monotonic() < ends, "\n".join(self.screen.rows)
            if select.select([self._master], [], [], 0.2)[0]:
                text = self._read()
                self.written += text
                self.screen.feed(text)
        return self.screen.rows

    def end(self) -> list[str]:
        """End the program by a line of input, and return what stands on the screen then."""
        os.write(self._master, b"\n")
        rows = self.until(lambda rows: any(row.startswith("the end") for row in rows))
        assert self.process.wait(PATIENCE_S) == 0
        return rows

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def _read(self) -> str:
        raw = os.read(self._master, 65536)
        while True:  # to the end of a character, and of a code
            try:
                text = raw.decode()
            except UnicodeDecodeError:
                raw += os.read(self._master, 1)
                continue
            begun = text.rfind("\x1b")
            if begun >= 0 and not any(char.isalpha() for char in text[begun:]):
                raw += os.read(self._master, 1)
                continue
            return text

    def _set_size(self, width: int, height: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))


@contextmanager
def terminal(width: int, height: int, **environment: str) -> Iterator[Pseudoterminal]:
    made = Pseudoterminal(width, height, **environment)
    try:
        yield made
    finally:
        made.close()


def test_a_resize_redraws_and_leaves_nothing_of_the_old_picture() -> None:
    with terminal(100, 24) as shown:
        rows = shown.until(lambda rows: any(row.startswith("and ") for row in rows))
        assert rows[0].startswith("1 of 90 tasks")
        assert rows[3].split() == ["phone", "task", "step", "stage", "goal", "or", "subgoal"]
        assert rows[4].startswith("phone-29 ")
        assert len(rows) == 23
        for width, height in ((60, 12), (120, 40), (40, 24), (100, 24)):
            shown.resize(width, height)
            shown.until(partial(_is_whole, height=height))
        rows = shown.end()
        assert not shown.screen.cursor_is_hidden
    assert rows[-1] == "the end" or rows[-2:] == ["the end", ""]
    assert not any(row.startswith("failed") for row in rows), "the picture has vanished"
    assert "\x1b]" not in shown.written
    assert "\x1b[2J" not in shown.written
    assert "\u202e" not in shown.written


def _is_whole(rows: list[str], height: int) -> bool:
    """Return whether the screen ends with a picture for this height.

    Above it a terminal may show again what had left its screen when it was too small for the picture before.
    """
    starts = [index for index, row in enumerate(rows) if row.startswith("1 of 90 tasks")]
    picture = rows[starts[-1] :] if starts else []
    return len(picture) in (height - 1, FULL) and picture[-1].startswith("failed")


def test_without_colours_only_the_places_are_coded() -> None:
    with terminal(80, 24, NO_COLOR="1") as shown:
        shown.until(lambda rows: _is_whole(rows, 24))
        shown.end()
    assert not any(f"\x1b[{colour}m" in shown.written for colour in (*range(30, 38), *range(90, 98)))


def test_a_terminal_that_obeys_no_codes_gets_lines() -> None:
    with terminal(80, 24, TERM="dumb") as shown:
        rows = shown.until(lambda rows: any(row.startswith("waiting for") for row in rows))
        assert any(row.startswith("failed ") for row in rows)
        shown.end()
    assert "\x1b" not in shown.written


def test_without_a_terminal_each_event_is_a_line() -> None:
    done = subprocess.run(COMMAND, input="\n", capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    told = done.stdout.splitlines()
    assert [line.split()[0] for line in told] == ["failed", "waiting", "the"]
    assert "\x1b" not in done.stdout
