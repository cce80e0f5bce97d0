"""Errors of phones behind an adb server."""

from __future__ import annotations

from manyhands.protocol.errors import CaptureFailed, ManyhandsError, PhoneLost


class NoPicture(CaptureFailed):
    """Report that ``screencap`` has answered in words, as it does while an app protects its window."""


class ActionRefused(ManyhandsError):
    """Report an action that this phone cannot carry out in its present state; nothing was sent.

    Callers outside this package get a Receipt with status ``refused`` instead of this error.
    """

    code = "refused"


class PhoneUnreached(PhoneLost):
    """Report that a phone did not answer, and that certainly nothing was sent to it."""


class ServerDown(PhoneUnreached):
    """Report that no adb server listens at its address."""


class AnswerLost(PhoneLost):
    """Report that a request was sent and its answer was lost or incomplete. The phone may have carried it out."""
