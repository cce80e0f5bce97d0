"""Prompt templates, one folder per profile, and the parts that fill them."""

from manyhands.actors.profiles.e.prompts.templates import Prompts

__all__ = ["Prompts"]
