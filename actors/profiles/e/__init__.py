"""Run Mobile-Agent-E: its loop, stages, assumptions, endings, verdicts and prompts."""

from manyhands.actors.profiles.e.profile import PROFILE

__all__ = ["PROFILE"]
