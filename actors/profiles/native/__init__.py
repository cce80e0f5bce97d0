"""Run one agent in one chat, with one call a step, in the form in which its model was trained."""

from manyhands.actors.profiles.native.profile import PROFILE

__all__ = ["PROFILE"]
