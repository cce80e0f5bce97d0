"""The classes of the roles that profiles ask, and of those that are asked beside the steps."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from manyhands.actors.profiles import e
from manyhands.actors.roles import Captioner, ModelRole, StepRole
from manyhands.protocol.roles import Role

PROFILE_ROLES: Mapping[str, tuple[type[StepRole[Any, Any, Any]], ...]] = {"e": e.ROLES}
"""The roles that each profile asks, in the order in which its system prompt explains their replies."""
CLASSES: Mapping[Role, type[ModelRole]] = {
    **{kind.role: kind for kind in chain.from_iterable(PROFILE_ROLES.values())},
    Captioner.role: Captioner,
}
"""The class of each role."""

if unasked := [role.value for role in Role if role not in CLASSES]:
    raise TypeError(f"protocol/roles.py declares roles that no profile asks: {', '.join(unasked)}")
