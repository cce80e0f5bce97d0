"""Print the output of commands: one JSON value with ``--json``, else text and tables; errors on one line."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import logging
import os
import re
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from manyhands.protocol.errors import BadFields, BadFile, BadInput, ManyhandsError, store_error
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.terminal_text import TerminalFormatter, show_controls

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
LINE_WIDTH = 10_000
"""How wide a console without a terminal is: wider than every row, so that rows stay whole for grep and awk."""
_CONTROLS = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a terminal may obey. JSON itself escapes those below a space."""


def say_json(value: Any) -> None:
    """Print one JSON value on a line of its own. Escape characters that a terminal may obey."""
    sys.stdout.write(_CONTROLS.sub(_escaped, json.dumps(value, ensure_ascii=False)) + "\n")
    sys.stdout.flush()


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


class TextConsole(Console):
    """Print texts as they are, without markup, and make control characters visible.

    Only control characters that rich itself writes take effect.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments to print. Tables, bars and live displays pass through this as well."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=show_controls(segment.text))


def text_console(stderr: bool = False) -> TextConsole:
    """Return a console for text. If the output is no terminal, its lines are long."""
    plain: dict[str, Any] = {"stderr": stderr, "highlight": False, "emoji": False, "markup": False}
    console = TextConsole(**plain)
    return console if console.is_terminal else TextConsole(**plain, width=LINE_WIDTH)


def text_of(show: Callable[[Console], None]) -> str:
    """Return what a function prints on a console, in a form for files: without colours, with long lines."""
    buffer = io.StringIO()
    show(TextConsole(file=buffer, width=LINE_WIDTH, highlight=False, emoji=False, markup=False))
    return buffer.getvalue()


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Write log lines to what is standard error at that time: a live display takes its place."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        self.stream = sys.stderr
        super().emit(record)


def log_to_terminal() -> None:
    """Print this process's warnings on standard error, with control characters made visible."""
    handler = _StderrHandler()
    handler.setLevel(logging.WARNING)
    handler.setFormatter(TerminalFormatter())
    logging.getLogger().addHandler(handler)


def write_output(text: str, out: Path | None) -> None:
    """Write a text to a file or, if ``out`` is None, to standard output. Raises StoreError.

    On a terminal, control characters are made visible. A file or a pipe gets the text as it is.
    """
    if out is None:
        sys.stdout.write(show_controls(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text)
        sys.stdout.flush()
        return
    try:
        secure_files.replace_text(out, text)
    except OSError as error:
        raise store_error(error, f"{out} cannot be written") from error
    text_console(stderr=True).print(f"Written: {out}", soft_wrap=True)


def table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a plain table; cells are not interpreted as markup."""
    result = Table(title=title, box=None, pad_edge=False, header_style="bold", title_justify="left")
    for column in columns:
        result.add_column(column, overflow="fold")
    for row in rows:
        result.add_row(*(Text(show_controls(cell)) for cell in row))
    return result


def fail(error: Exception, as_json: bool) -> NoReturn:
    """Print an error on one line, or each of its mistakes on a line. Exit with 2 for bad input, with 1 for all else."""
    if as_json:
        say_json(error_value(error))
    else:
        print_error(error)
    raise SystemExit(exit_code(error))


def exit_code(error: Exception) -> int:
    """Return the exit code of a command that ended with this error."""
    return EXIT_BAD_INPUT if isinstance(error, BadInput) else EXIT_FAILED


def error_value(error: Exception) -> dict[str, Any]:
    """Return an error as a JSON object: its text, its code, and the mistakes of a file."""
    kind = error.code if isinstance(error, ManyhandsError) else "error"
    mistakes = error.mistakes if isinstance(error, BadFile) else ()
    return {"error": _one_line(error), "code": kind, **({"mistakes": mistakes} if mistakes else {})}


def print_error(error: Exception) -> None:
    """Print an error on stderr: one line, or one for each of several mistakes."""
    mistakes = error.mistakes if isinstance(error, BadFile) else ()
    if isinstance(error, BadFile) and len(mistakes) > 1:
        lines = [
            f"error: {error.where}: {len(mistakes)} mistakes",
            *(" ".join(mistake.split()) for mistake in mistakes),
        ]
        text_console(stderr=True).print("\n  ".join(lines), markup=False, soft_wrap=True)
    else:
        text_console(stderr=True).print(f"error: {_one_line(error)}", markup=False, soft_wrap=True)


def _one_line(error: Exception) -> str:
    return " ".join(_reason(error).split())


def _reason(error: Exception) -> str:
    """Return the text of an error. If the operating system raised it, begin with the file that the error is about."""
    if isinstance(error, OSError) and error.strerror:
        about = [os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
        return ": ".join([*about, error.strerror])
    if isinstance(error, BadFields):  # who types a command does not know our classes
        return "; ".join(error.mistakes)
    return str(error) or type(error).__name__


@contextlib.contextmanager
def failing_with_a_line(as_json: bool) -> Iterator[None]:
    """Print expected errors on one line, or as JSON, and exit with their code. Let defects of this program pass."""
    try:
        yield
    except BrokenPipeError:  # the reader of the output has left; typer ends without a message
        raise
    except (ManyhandsError, OSError) as error:
        fail(error, as_json)
    except ExceptionGroup as group:  # errors of parallel work: report the first
        ours, others = group.split((ManyhandsError, OSError))
        if ours is None or others is not None:
            raise
        fail(_first(ours), as_json)


def _first(error: Exception) -> Exception:
    return _first(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error


STOPPING = "stopping what was started"


def carry_out(main: Callable[[], Coroutine[Any, Any, int]], as_json: bool, on_stop: str = STOPPING) -> NoReturn:
    """Run a command's coroutine and exit with its code; 130 after SIGINT, SIGTERM or SIGHUP.

    Print errors on one line. ``on_stop``: what to print after a signal.
    """
    with failing_with_a_line(as_json):
        try:
            code = asyncio.run(_until_signalled(main, on_stop))
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise SystemExit(EXIT_INTERRUPTED) from None
    raise SystemExit(code)


async def _until_signalled(main: Callable[[], Coroutine[Any, Any, int]], on_stop: str) -> int:
    """Run ``main()``. SIGINT, SIGTERM and SIGHUP cancel it, so that everything that it started stops in order.

    A second signal is ignored, because it would interrupt this stop. After SIGHUP the terminal is gone, so output to
    the terminal is dropped. Under ``nohup`` SIGHUP is ignored.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None
    stopping = False

    def stop() -> None:
        nonlocal stopping
        if not stopping:
            task.cancel()
        with contextlib.suppress(OSError, SystemExit):  # the terminal may be gone
            text_console(stderr=True).print("still stopping" if stopping else on_stop)
        stopping = True

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
    """Stop, and redirect terminals to /dev/null, so that writing to them cannot fail before the summary is written."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # the stream may have been closed before
            if _is_terminal(stream.fileno()):
                os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    stop()


def _is_terminal(descriptor: int) -> bool:
    """Return whether a descriptor is a character device. ``isatty`` would be false for a terminal that has hung up."""
    return stat.S_ISCHR(os.fstat(descriptor).st_mode)


def own_name() -> str:
    """Return the name by which this command was called, for hints that people can paste."""
    called = Path(sys.argv[0])
    if called.name != "manyhands" or shutil.which("manyhands"):
        return "manyhands"
    return os.path.relpath(called)
