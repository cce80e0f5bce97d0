"""Define the forms of texts in paths and queries, so that nothing else reaches the database or the file system."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import StringConstraints

_PLAIN = r"^[^\x00-\x1f\x7f]*$"
"""Matches texts without control characters."""
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"

Words = Annotated[str, StringConstraints(max_length=200, pattern=_PLAIN)]
SearchText = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_PLAIN)]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=_PLAIN)]
SelectorText = Annotated[str, StringConstraints(max_length=500, pattern=_PLAIN)]

BatchId = Annotated[
    str, Path(description="The id of a batch, for example `b17`.", max_length=40, pattern=_NAME, examples=["b17"])
]
TaskId = Annotated[
    str,
    Path(description="The id of a task, for example `b17.buy`.", max_length=200, pattern=_NAME, examples=["b17.buy"]),
]
EpisodeId = Annotated[str, Path(description="The id of an episode.", max_length=250, pattern=_NAME)]
ContentId = Annotated[str, Path(description="The content id of a screenshot.", pattern=r"^[0-9a-f]{32}$")]
Serial = Annotated[
    str,
    Path(
        description="The serial of a phone. Behind a site it has the form `site/serial`.",
        min_length=1,
        max_length=200,
        pattern=r"^[^\x00-\x1f\x7f]+$",
        examples=["emulator-5554"],
    ),
]
TokenId = Annotated[str, Path(description="The id of a token, for example `t3`.", max_length=40, pattern=_NAME)]
ScheduleId = Annotated[str, Path(description="The id of a schedule, for example `s3`.", max_length=40, pattern=_NAME)]
WebhookId = Annotated[str, Path(description="The id of a webhook, for example `w2`.", max_length=40, pattern=_NAME)]
IdempotencyKey = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]

Cursor = Annotated[
    str | None,
    Query(description="Where the list goes on: `next_cursor` of the part before.", max_length=500, pattern=_PLAIN),
]
Limit = Annotated[int, Query(description="How many entries this part may have.", ge=1, le=1000)]
DEFAULT_LIMIT = 100
