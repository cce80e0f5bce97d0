"""Keeping Ray's own output off the terminal, where it would mix with tables and JSON.

Ray's processes send warnings, and tracebacks of a dashboard, to the processes that joined, which print them.
"""

from __future__ import annotations

from typing import Any

from ray._private import worker

QUIET: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
"""For ``ray.init``."""


def set_silent(silent: bool) -> None:
    """Stop or resume printing of Ray's output in this process. Not for a Ray that the user's program has started."""
    worker._worker_logs_enabled = not silent
