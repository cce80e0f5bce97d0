"""Run Mobile-Agent-E that learns (sections 3.2, 5.3, 5.4): the loop and prompts of ``e``, and stages for shortcuts."""

from manyhands.actors.profiles.e_evo.profile import PROFILE

__all__ = ["PROFILE"]
