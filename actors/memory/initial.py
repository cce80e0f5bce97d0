"""The long-term memory that an episode starts with when nothing has been learned yet."""

from __future__ import annotations

from functools import cache
from importlib import resources

import yaml

from manyhands.protocol.memory import LongTermMemory


@cache
def initial_memory() -> LongTermMemory:
    """Return Mobile-Agent-E's four initial tips and its one initial shortcut (section 3.2), in our own words."""
    text = resources.files("manyhands.actors.memory").joinpath("initial.yaml").read_text(encoding="utf-8")
    return LongTermMemory.model_validate(yaml.safe_load(text))
