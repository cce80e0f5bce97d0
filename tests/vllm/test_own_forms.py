"""Many replies in each of the models' own forms, written by the random model under a grammar of the form."""

from __future__ import annotations

import asyncio
import json
import os
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from manyhands.actors.mllm import parse
from manyhands.actors.mllm.native import NATIVE_FORMS, Chat, ShownStep
from manyhands.actors.mllm.request.bodies import recorded_body, wire_body
from manyhands.actors.mllm.request.dialects import dialect_named
from manyhands.protocol.base import Reply
from manyhands.protocol.profiles.native import CHAT_ACTIONS, NativeReply
from manyhands.protocol.roles.replies import in_form
from manyhands.protocol.roles.requests import Brief
from manyhands.protocol.roles.role import Role
from tests.actors.mllm.native.reply_patterns import PATTERNS
from tests.actors.roles import examples
from tests.vllm.asking import LONGEST_S, settings
from tests.vllm.many import WORDS
from tests.vllm.screens import noise
from tests.vllm.server import SEQUENCES, VllmServer

REPLIES = int(os.environ.get("MH_TEST_REPLIES", "60"))
"""Replies in each form. CI asks for fewer than 500 for the sake of time."""
SIDE = 140


FORMS = [name for name, form in sorted(NATIVE_FORMS.items()) if form.judges and not name.startswith("qwen")]


@pytest.mark.parametrize("dialect", FORMS)
async def test_replies_in_a_form_are_actions_with_a_verdict(qwen3: VllmServer, dialect: str) -> None:
    form = NATIVE_FORMS[dialect].form
    loop = asyncio.get_running_loop()

    async def ask(number: int) -> tuple[str, Reply]:
        text = await loop.run_in_executor(threads, _post, qwen3.url, _body(qwen3, dialect, number, PATTERNS[form]))
        return text, parse(in_form(NativeReply, form), text)

    with ThreadPoolExecutor(SEQUENCES) as threads:
        found = await asyncio.gather(*map(ask, range(REPLIES)))
    assert len(found) == REPLIES
    assert len({text for text, _ in found}) > REPLIES / 4
    assert all(isinstance(reply, NativeReply) for _, reply in found)


def _body(server: VllmServer, dialect: str, number: int, pattern: str) -> bytes:
    image = noise(number, SIDE, SIDE)
    shown = ShownStep(screenshot=examples.shot(image), image=image, asks_verdict=True)
    goal = f"{number}. {WORDS[number % len(WORDS)]}"
    chat = Chat(brief=Brief(goal=goal), steps=(shown,), dialect=dialect_named(dialect), actions=CHAT_ACTIONS)
    asked = settings(server, output="native", temperature=0.0, max_tokens={Role.DECIDE: 400})
    body: dict[str, Any] = recorded_body(asked, Role.DECIDE, NativeReply, NATIVE_FORMS[dialect].render(chat))
    return wire_body({**body, "structured_outputs": {"regex": pattern}}, {image.content_id: image.jpeg})


def _post(url: str, body: bytes) -> str:
    request = urllib.request.Request(f"{url}/chat/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=LONGEST_S) as answer:
        choice = json.load(answer)["choices"][0]
    assert choice["finish_reason"] == "stop", choice
    text: str = choice["message"]["content"]
    return text
