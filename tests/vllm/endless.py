"""A reply type for tests: a model held to it writes for very long."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from manyhands.protocol.base import Reply

Number = Annotated[int, Field(ge=0, le=9999)]


class EndlessReply(Reply):
    """Thousands of numbers: a list, unlike a string, cannot be ended before its least length."""

    numbers: Annotated[list[Number], Field(min_length=4000, max_length=5000)]
