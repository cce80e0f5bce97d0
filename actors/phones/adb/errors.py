"""Errors of phones behind an adb server."""

from __future__ import annotations

from manyhands.protocol.errors import ManyhandsError, PhoneLost


class ActionRefused(ManyhandsError):
    """Report an action that this phone cannot carry out in its present state; nothing was sent.

    Outside this package it is a Receipt with status ``refused``.
    """

    code = "refused"


class PhoneUnreached(PhoneLost):
    """Report that a phone did not answer, and that nothing was sent to it for certain."""


class ServerDown(PhoneUnreached):
    """Report that no adb server listens at its address."""


class AnswerLost(PhoneLost):
    """Report that a request was sent and its answer was lost or incomplete. The phone may have carried it out."""
