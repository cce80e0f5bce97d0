"""Run Mobile-Agent-v2: its loop, agents, stages, assumptions, endings and prompts."""

from manyhands.actors.profiles.v2.profile import PROFILE

__all__ = ["PROFILE"]
