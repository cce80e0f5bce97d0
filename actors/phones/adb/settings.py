"""The settings of phones behind an adb server. They can be pickled; the transport's ``start`` opens the connections."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from manyhands.actors.phones.settings import STATE_DIR
from manyhands.protocol.base import Input
from manyhands.protocol.phones import PhoneLimits
from manyhands.protocol.secrets import Secret, SecretName

CONTENT_URI = r"^content://[A-Za-z0-9._-]+(/[A-Za-z0-9._/-]*)?$"


class AdbSettings(Input):
    """Settings of an :class:`~manyhands.actors.phones.adb.transport.AdbTransport`. Times are in seconds."""

    host: str = "127.0.0.1"
    port: int = Field(default=5037, ge=1, le=65535)
    state_dir: Path = STATE_DIR
    """The folder in which all runs keep the input methods that phones' owners had chosen."""
    label_providers: tuple[str, ...] = ()
    """Content URIs that answer rows ``label=..., package=..., activity=...``, They are asked in this order."""
    reset_provider: str | None = Field(default=None, pattern=CONTENT_URI)
    """A content URI with a method ``reset`` that takes a seed."""
    reset_snapshot: str | None = None
    """The snapshot that an emulator restores when it is reset with a seed."""
    allow_shell_checks: bool = False
    """Whether a check's ``shell`` line runs on the phones. A task's author wrote the line, never a model."""
    threads: int = Field(default=64, ge=2, le=1024)
    """The most calls to the adb server at a time. Each call waits in a thread of its own."""
    pixel_threads: int = Field(default=2, ge=1, le=64)
    """The most pictures that are decoded at a time. As many others may be hashed and encoded at the same time."""
    captures: int = Field(default=16, ge=1, le=256)
    """The most frames in transfer from phones at a time. A raw frame has 10 MB."""
    command_timeout_s: float = Field(default=20.0, gt=0)
    """How long a phone may take for one line, beyond the time that the action itself takes."""
    capture_timeout_s: float = Field(default=20.0, gt=0)
    secrets: Mapping[SecretName, Secret] = Field(default_factory=dict)
    """What stands for ``{{secret:NAME}}`` in texts to type, and where it may be typed."""
    limits: PhoneLimits = PhoneLimits()
    """What a phone must have to get a task."""
