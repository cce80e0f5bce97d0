"""Hold what is known of how a model family was trained to operate a phone, with the source of each fact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Hold the sampling with which the family's makers run it. None: they do not say, so the server's default."""

    temperature: float
    top_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """Hold the facts of one family that its form follows."""

    source: str
    """Where the facts were read."""
    order: Literal["text, picture", "picture, text"]
    """What comes first in a user's message."""
    history: Literal["lines, then turns", "turns"]
    """How old steps are shown: as one line each in the first message, or as turns without their pictures."""
    pictures: int
    """The most pictures in one request, as its makers send them. A chat shows no more, but two for a verdict."""
    thinking: Literal["tags", "line", "none"]
    """Where the family writes its thought: between tags, on the line Thought, or nowhere."""
    answers: str
    """The action that answers the user; empty if it has none."""
    added: tuple[str, ...] = ()
    """Actions that we offer and its makers do not."""
    takes_more: bool = False
    """Whether it is a general model, which takes as many pictures as a chat has; its makers' example has few."""
    ends: str
    """The action that ends the task."""
    sampling: Sampling
