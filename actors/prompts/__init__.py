"""Prompts from a profile's templates: what is common to all roles (docs/prompts.md)."""

from manyhands.actors.prompts.templates import Prompts

__all__ = ["Prompts"]
