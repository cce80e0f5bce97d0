"""Read the system prompt that a user gives for the profile ``native``, such as that of the model's card."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from manyhands.protocol.errors import BadInput


def read_card(path: Path) -> str:
    """Return the system prompt in a file, to the letter. Raises BadInput."""
    try:
        text = path.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise BadInput(f"--system-prompt {path}: cannot be read: {error}") from error
    if not text.strip():
        raise BadInput(f"--system-prompt {path}: is empty; leave the option out for our own prompt")
    return text


def card_hash(card: str) -> str:
    """Return the hash by which run.yaml records a system prompt: that of its file."""
    return sha256(card.encode()).hexdigest()
