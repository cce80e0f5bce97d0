"""What Ray says by itself: nothing on our terminal, where it would stand in the midst of tables and JSON.

Its processes send warnings, and tracebacks of a dashboard that nobody asked for, to be printed by whoever joined them.
"""

from __future__ import annotations

from typing import Any

from ray._private import worker

QUIET: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
"""For ``ray.init``."""


def set_silent(silent: bool) -> None:
    """Whether this process prints none of it. Not to be set for a Ray that the program itself has started."""
    worker._worker_logs_enabled = not silent
