"""Write Ray's log lines to the logs of runs, not to the terminal, where they would mix with tables and JSON.

Ray's processes send warnings, for instance about a dead actor process, to each driver. By default, the driver prints
these warnings.
"""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ray
from ray._private import worker

from manyhands.protocol.utilities import secure_files

QUIET: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
"""Options of ``ray.init`` that turn off its own logging."""
FILE = "ray.log"
_LINES = logging.getLogger("manyhands.ray")
"""Receives all lines of Ray, from this process and from others. Runs add handlers to it."""
_LINES.setLevel(logging.INFO)
_LINES.propagate = False
_LINES.addHandler(logging.NullHandler())
_SAID_HERE = logging.getLogger("ray")
_prints = worker.print_to_stdstream


def init_silently(**options: Any) -> None:
    """Call ``ray.init`` and print none of Ray's lines from then on, until ``resume_printing``."""
    worker.print_to_stdstream = _keep
    ray.init(**options, **QUIET)
    _SAID_HERE.addHandler(_FORWARD)  # after ``init``, which removes earlier handlers


def resume_printing() -> None:
    """Let Ray in this process print its lines again."""
    _SAID_HERE.removeHandler(_FORWARD)
    worker.print_to_stdstream = _prints


@contextlib.contextmanager
def lines_kept_in(folder: Path) -> Iterator[None]:
    """Append Ray's lines to ``ray.log`` in the folder while the context is open.

    The first line makes the file.
    """
    handler = _LogFile(folder / FILE, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    _LINES.addHandler(handler)
    try:
        yield
    finally:
        _LINES.removeHandler(handler)
        handler.close()


def _keep(data: Mapping[str, Any], ignore_prefix: bool) -> None:
    """Log the lines that Ray would print. Ray defines the arguments."""
    for line in data.get("lines", ()):
        _LINES.info("(%s) %s", data.get("pid"), line)


class _Forward(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        _LINES.handle(record)


_FORWARD = _Forward()


class _LogFile(logging.FileHandler):
    """Write to a file that only its owner can read."""

    def _open(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(secure_files.open_to_append(Path(self.baseFilename)), encoding="utf-8")

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(OSError):  # the folder is gone: only this line is lost
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Drop the line if it cannot be written, for instance on a full disk. Print no traceback."""
