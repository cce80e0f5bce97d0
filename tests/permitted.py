"""Requests of actions that the policy has allowed, for tests of what carries them out."""

from __future__ import annotations

from manyhands.protocol.phones import Perform
from manyhands.protocol.policy import allow
from manyhands.protocol.screens.actions import PhoneAction


def permitted(key: str, action: PhoneAction) -> Perform:
    return Perform(key=key, action=action, verdict=allow(action, "a test").id)
