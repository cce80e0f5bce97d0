"""Follow a task's flow without a model, and ask the agent of ``native`` where the screen is not as the flow expects."""

from manyhands.actors.profiles.flow.profile import PROFILE

__all__ = ["PROFILE"]
