"""Keeping Ray's own lines off the terminal, where they would mix with tables and JSON: they go to the logs of runs.

Ray's processes send warnings, such as that an actor's process died, to the processes that joined, which print them.
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

from manyhands.protocol import secure_files

QUIET: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
"""For ``ray.init``."""
FILE = "ray.log"
_LINES = logging.getLogger("manyhands.ray")
"""Whatever Ray says, here and from its other processes; runs add handlers."""
_LINES.setLevel(logging.INFO)
_LINES.propagate = False
_LINES.addHandler(logging.NullHandler())
_SAID_HERE = logging.getLogger("ray")
_prints = worker.print_to_stdstream


def init_silently(**options: Any) -> None:
    """Call ``ray.init``: from then on none of Ray's lines is printed, until ``resume_printing``."""
    worker.print_to_stdstream = _keep
    ray.init(**options, **QUIET)
    _SAID_HERE.addHandler(_FORWARD)  # not before: ``init`` takes away what it finds


def resume_printing() -> None:
    """Let lines of another Ray in this process be printed as they were before."""
    _SAID_HERE.removeHandler(_FORWARD)
    worker.print_to_stdstream = _prints


@contextlib.contextmanager
def lines_kept_in(folder: Path) -> Iterator[None]:
    """Append Ray's lines to ``ray.log`` in the folder while the context is open, where they are not printed.

    The file is made with the first line.
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
    """Log lines in place of printing them; the arguments are Ray's."""
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
        with contextlib.suppress(OSError):  # the folder is gone: the line is lost, and nothing else
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Lose the line, where the disk is full say: a traceback is not to be printed either."""
