"""Run Mobile-Agent (v1): one agent, one chat, and the search for the agent's words on the screen."""

from manyhands.actors.profiles.v1.profile import PROFILE

__all__ = ["PROFILE"]
