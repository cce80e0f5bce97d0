"""Define the picture of a phone's screen that people see, whether or not the phone has a task."""

from __future__ import annotations

from pydantic import Base64Bytes

from manyhands.protocol.base import Message
from manyhands.protocol.screens.geometry import Size

PICTURE = "phone://picture"
"""The address in a phone's state that holds a :class:`PhonePicture`."""


class PhonePicture(Message):
    """Hold the screen of a phone as a JPEG, at most 540 pixels wide."""

    jpeg: Base64Bytes
    """The JPEG; in JSON, in base64."""
    size: Size
    """The size of the screen."""
