"""Ask a phone, once it is in its starting state, what it is to tell of itself in prompts."""

from __future__ import annotations

import logging

from pydantic import ValidationError

from manyhands.actors.episode.profile import CAPTURE
from manyhands.actors.episode.runtime import EpisodeRuntime
from manyhands.actors.episode.stage_context import StageContext
from manyhands.protocol.errors import CallError, LeaseLost, PhoneError, StateUnavailable
from manyhands.protocol.phones.phone_description import DESCRIPTION, PhoneDescription

logger = logging.getLogger(__name__)


async def ask_description(runtime: EpisodeRuntime) -> PhoneDescription | None:
    """Return what the phone tells of itself. Return None with ``paper_exact``, or if the phone does not tell them."""
    if runtime.settings.paper_exact:
        return None
    gateway = runtime.collaborators.gateway
    try:
        told = await StageContext(runtime, CAPTURE, 0).call(
            lambda call: gateway.state(runtime.lease, DESCRIPTION, call)
        )
        return PhoneDescription.model_validate(told.value)
    except (PhoneError, StateUnavailable, LeaseLost, CallError, ValidationError) as error:
        logger.warning("%s: the phone's time and apps are not known: %s", runtime.order.episode, error)
        return None
