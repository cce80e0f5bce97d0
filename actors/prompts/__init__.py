"""Make prompts from a profile's templates. All roles share these parts (docs/prompts.md)."""

from manyhands.actors.prompts.templates import Prompts

__all__ = ["Prompts"]
