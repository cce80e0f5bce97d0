"""Ask a server for a chat, then for the same chat with further turns: what of the prompt before was in its cache?

An episode's chat grows at its end, so the prompt of a step should find nearly all of the prompt before. A server keeps
whole blocks. Where vLLM serves a hybrid model (Qwen3.5 and later), a block is as large as a state of its GDN layers,
hundreds of tokens, and no prompt hits at all in some releases (docs/serving.md).
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace

import numpy as np

from manyhands.actors.frames import ModelImage, content_id, encode_jpeg
from manyhands.actors.mllm import Prompt
from manyhands.actors.mllm.client.probe import read_prompt
from manyhands.actors.mllm.client.transport import Transport
from manyhands.actors.mllm.request.bodies import ChatTurn
from manyhands.protocol.base import Message

LARGEST_BLOCK = 2 * 1_088
"""Tokens of the largest block, computed: that of Qwen3.5-35B-A3B, doubled by ``--kv-cache-dtype fp8``."""
FLAG = "--enable-prompt-tokens-details"
DEFECT = "vllm-project/vllm issue 43587"
_LINE = "The phone shows a list of shops, and the user wants to know which one of them is open now."
_LINE_TOKENS = 20
"""Words of the line. No tokenizer takes fewer tokens for them."""
_WIDTH, _HEIGHT = 720, 1600


class CacheHits(Message):
    """Hold how much of a prompt was cached when it was sent again with a further turn."""

    prompt_tokens: int
    """Tokens of the prompt without that turn."""
    cached_tokens: int | None
    """Those of the longer prompt that were cached. None: the server does not tell."""

    @property
    def new_tokens(self) -> int:
        """Return the tokens that were read a second time."""
        return max(0, self.prompt_tokens - (self.cached_tokens or 0))

    @property
    def description(self) -> str:
        """Return the hits in a few words."""
        share = (self.cached_tokens or 0) / max(1, self.prompt_tokens)
        return f"{min(1.0, share):.0%} of {self.prompt_tokens:,} tokens hit"


class CacheJudgement(Message):
    """Judge a server's prefix cache by two chats: one of text, and one that begins with a picture."""

    text: CacheHits
    picture: CacheHits

    @property
    def is_known(self) -> bool:
        """Return whether the server tells what was cached."""
        return self.text.cached_tokens is not None and self.picture.cached_tokens is not None

    @property
    def has_hits(self) -> bool:
        """Return whether both chats were in the cache."""
        return bool(self.text.cached_tokens and self.picture.cached_tokens)

    @property
    def description(self) -> str:
        """Return in one line what share hit, and what that costs in a step."""
        if not self.is_known:
            return f"not known: the server sends no prompt_tokens_details; vLLM does with {FLAG}"
        hits = f"{self.text.description}, with a picture {self.picture.description}"
        if self.has_hits:
            most = max(self.text.new_tokens, self.picture.new_tokens)
            return f"{hits}: a step of a chat reads up to {most:,} tokens again"
        return f"{hits}: each step reads its whole prompt again; known of hybrid models: {DEFECT}"


async def judge_cache(transport: Transport, url: str, model: str) -> CacheJudgement:
    """Ask a server. Set a timeout around this. Raises RequestFailed, also if the server takes no pictures."""
    salt = secrets.token_hex(8)
    lines = "\n".join([f"(trial {salt})", *[_LINE] * (2 * LARGEST_BLOCK // _LINE_TOKENS + 1)])
    text = Prompt(system=lines, content=("Is the list long?",))
    picture = Prompt(system=f"Trial {salt}.", content=(await asyncio.to_thread(_picture, salt), lines))
    return CacheJudgement(
        text=await _hits(transport, url, model, text, f"cache-{salt}-text"),
        picture=await _hits(transport, url, model, picture, f"cache-{salt}-picture"),
    )


def _picture(salt: str) -> ModelImage:
    """Return a picture that no server has seen."""
    colour = tuple(bytes.fromhex(salt[:6]))
    pixels = np.full((_HEIGHT, _WIDTH, 3), colour, np.uint8)
    return ModelImage(content_id=content_id(pixels), jpeg=encode_jpeg(pixels))


async def _hits(transport: Transport, url: str, model: str, prompt: Prompt, session: str) -> CacheHits:
    """Send a chat, then the same with one turn more, and with two. The last one counts.

    Of a hybrid, vLLM 0.32 misses the state at the end of some prompts, by their length. It then keeps the state where
    the next prompt leaves that one, so that the third prompt finds it.
    """
    turn = ChatTurn("Yes.", ("And now?",))
    await read_prompt(transport, url, model, prompt, session=session)
    former = await read_prompt(transport, url, model, replace(prompt, turns=(turn,)), session=session)
    last = await read_prompt(transport, url, model, replace(prompt, turns=(turn, turn)), session=session)
    return CacheHits(prompt_tokens=former.counted().input_tokens, cached_tokens=last.cached_tokens)
