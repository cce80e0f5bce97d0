"""The random model as a fuzzer: hundreds of prompts that differ, and not one reply that we cannot read."""

from __future__ import annotations

import asyncio
import os
from collections import Counter

from manyhands.actors.mllm import dialect_named
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import ManyhandsError
from tests.vllm.asking import client_of, within
from tests.vllm.many import Varied, varied
from tests.vllm.server import SEQUENCES, VllmServer

REQUESTS = int(os.environ.get("MH_TEST_REPLIES", "100"))
"""CI asks for fewer than 500 for the sake of time."""


async def test_replies_to_many_prompts_are_what_the_protocol_says(qwen3: VllmServer) -> None:
    requests = varied(REQUESTS, dialect_named("qwen3-vl"))
    texts: list[str] = []
    failures: Counter[str] = Counter()
    read: list[Reply] = []

    async with client_of(qwen3, max_in_flight=SEQUENCES, max_waiting=REQUESTS) as client:

        async def ask(one: Varied) -> None:
            try:
                completion = await client.complete(one.role, one.prompt, one.reply, one.route, within())
                texts.append(completion.text)
                read.append(one.read(completion.text))
            except ManyhandsError as error:  # any other exception fails the test as it is
                failures[f"{one.role.value}: {error.code}: {error}"] += 1

        async with asyncio.TaskGroup() as group:
            for one in requests:
                group.create_task(ask(one))

    assert not failures, failures.most_common(5)
    assert len(read) == REQUESTS
    # It was a fuzzer: replies differ, and some hold what JSON has to escape.
    assert len(set(texts)) > REQUESTS / 4
    assert any('\\"' in text for text in texts)
    assert any("\\\\" in text or "\\n" in text for text in texts)
    assert max(map(len, texts)) > 1000
