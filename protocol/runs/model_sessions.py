"""Say where an episode sends its model calls, if a trainer's gateway gives each episode a way of its own."""

from __future__ import annotations

from pydantic import Field, SecretStr

from manyhands.protocol.base import Message


class ModelSession(Message):
    """Hold an episode's own way to its model. It is in no journal, no log and no prompt."""

    url: str
    """The base URL: requests go to ``/chat/completions`` below it."""
    key: SecretStr | None = None
    headers: tuple[tuple[str, str], ...] = Field(default=(), repr=False)
    """More headers of each request, by name."""

    @property
    def key_text(self) -> str | None:
        """Return the key as it is sent."""
        return None if self.key is None else self.key.get_secret_value()


class SessionFacts(Message):
    """Hold what a gateway is told of an episode when its session opens."""

    run: str
    episode: str
    """The id. It names the session, too."""
    task: str
    group: str
    """The id that the repeats of a task share."""
    attempt: int
