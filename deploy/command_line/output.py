"""What commands print: one JSON value with ``--json``, otherwise text and tables; errors on one line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table
from rich.text import Text

from manyhands.protocol.errors import BadFile, BadInput, ManyhandsError

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
LINE_WIDTH = 160


def say_json(value: Any) -> None:
    """One JSON value on a line of its own."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def text_console(stderr: bool = False) -> Console:
    """Where text goes. What is no terminal has no width: lines there are as long as they need to be."""
    console = Console(stderr=stderr, highlight=False, emoji=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, emoji=False, width=LINE_WIDTH)


def table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A plain table; cells are texts and are not interpreted as markup."""
    made = Table(title=title, box=None, pad_edge=False, header_style="bold", title_justify="left")
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in rows:
        made.add_row(*map(Text, row))
    return made


def fail(error: Exception, as_json: bool) -> NoReturn:
    """Say one clear line, or one for each of several mistakes, and leave: 2 for bad input, 1 for everything else."""
    code = EXIT_BAD_INPUT if isinstance(error, BadInput) else EXIT_FAILED
    kind = error.code if isinstance(error, ManyhandsError) else "error"
    text = " ".join(str(error).split())
    mistakes = error.mistakes if isinstance(error, BadFile) else ()
    if as_json:
        say_json({"error": text, "code": kind, **({"mistakes": mistakes} if mistakes else {})})
    elif isinstance(error, BadFile) and len(mistakes) > 1:
        lines = [f"error: {error.where}: {len(mistakes)} mistakes", *(" ".join(told.split()) for told in mistakes)]
        text_console(stderr=True).print("\n  ".join(lines), markup=False, soft_wrap=True)
    else:
        text_console(stderr=True).print(f"error: {text}", markup=False, soft_wrap=True)
    raise SystemExit(code)


def carry_out(main: Callable[[], Coroutine[Any, Any, int]], as_json: bool) -> NoReturn:
    """Run a command's coroutine: its exit code, typed errors on one line, 130 after Ctrl-C, SIGTERM or SIGHUP."""
    try:
        code = asyncio.run(_until_told(main))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise SystemExit(EXIT_INTERRUPTED) from None
    except ManyhandsError as error:
        fail(error, as_json)
    raise SystemExit(code)


async def _until_told(main: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """``main()``, cancelled by SIGINT, SIGTERM and SIGHUP, so that everything it started is stopped in order.

    A second signal changes nothing: what it would cut short is that order. SIGHUP says that the terminal is gone, and
    what would be said on it goes nowhere; under ``nohup`` it is ignored, as asked for.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None
    stop = _Stop(task)
    loop.add_signal_handler(signal.SIGINT, stop)
    loop.add_signal_handler(signal.SIGTERM, stop)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGHUP, _hung_up, stop)
    try:
        return await main()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.remove_signal_handler(number)


def _hung_up(stop: Callable[[], None]) -> None:
    """Stop; what is still written to the terminal must not fail, for the summary is written after it."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # it may have been closed before
            if _is_terminal(stream.fileno()):
                os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    stop()


def _is_terminal(descriptor: int) -> bool:
    """Also of one that was closed: there a terminal no longer answers as one."""
    return stat.S_ISCHR(os.fstat(descriptor).st_mode)


class _Stop:
    """What a signal does: the first one cancels the command."""

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self._task = task
        self._told = False

    def __call__(self) -> None:
        again, self._told = self._told, True
        if not again:
            self._task.cancel()
        with contextlib.suppress(OSError, SystemExit):  # nobody may read it any more; then it is not said
            text_console(stderr=True).print("still stopping" if again else "stopping what was started")


def own_name() -> str:
    """How this command was called, for hints that can be pasted."""
    called = Path(sys.argv[0])
    if called.name != "manyhands" or shutil.which("manyhands"):
        return "manyhands"
    return os.path.relpath(called)


def counted(number: int, noun: str) -> str:
    """``1 task``, ``2 tasks``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
