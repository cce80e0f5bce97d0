"""Make the JSON body of a request, record it without its pictures, and restore it byte for byte."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic_core import to_json

from manyhands.actors.frames import ModelImage
from manyhands.actors.mllm.formats import FORMATS
from manyhands.actors.mllm.settings import Grammar, ModelSettings
from manyhands.protocol.base import Reply
from manyhands.protocol.errors import BadInput
from manyhands.protocol.messages import ModelCall
from manyhands.protocol.roles.role import Role
from manyhands.protocol.roles.sections import harmless
from manyhands.protocol.utilities.invisible_characters import drop_invisible

WEIGHT_FIELDS = {"return_weight_versions": True}
"""The field that asks which weights wrote the reply. A trainer changes them while episodes run."""
IMAGE_MARK = "manyhands:"
"""The prefix of the text that replaces an image in a recorded body. The image's content id follows it."""
TOKEN_FIELDS = {"logprobs": True, "top_logprobs": 0, "return_token_ids": True, **WEIGHT_FIELDS}
"""The fields that ask for tokens. vLLM knows all; SGLang ignores the last and tells the version of its weights always.
"""
_LONGEST_ANSWER = 4000
"""The most characters of an unusable answer that the model is shown again. Most mistakes are near the beginning."""
_LONGEST_PROBLEM = 300


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """Hold an answer of the model, and what it is shown and asked next."""

    answer: str
    """The model's own words. They are sent back only as the model's own turn."""
    content: tuple[str | ModelImage, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """Hold one request to a model: a system text, then texts and pictures in the order of sending."""

    system: str
    content: tuple[str | ModelImage, ...]
    turns: tuple[ChatTurn, ...] = ()
    """The conversation after ``content``: each answer, and what was asked next."""
    repairs: bool = False
    """Whether the last turn asks for another reply in place of an invalid one."""
    to_the_letter: bool = False
    """Whether the system text is sent as it is, with its control tokens: the user's own, or one that was sent before.
    """
    is_in_family_form: bool = False
    """Whether the prompt asks for the form on which the model's family was trained."""

    @property
    def images(self) -> tuple[ModelImage, ...]:
        contents = (self.content, *(turn.content for turn in self.turns))
        return tuple(part for content in contents for part in content if isinstance(part, ModelImage))


def recorded_body(
    settings: ModelSettings, role: Role, reply: type[Reply], prompt: Prompt, speculative: bool = False
) -> dict[str, Any]:
    """Return a chat-completions body with marks in the place of image data.

    The type ``reply`` gives the JSON schema.
    """
    priority = settings.priority(role, speculative)
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": messages_of(prompt),
        "temperature": settings.temperature,
        "seed": settings.seed,
        "max_tokens": settings.max_tokens[role],
    }
    for name in ("top_p", "presence_penalty", "frequency_penalty", "repetition_penalty", "top_k"):
        if (value := getattr(settings, name)) is not None:
            body[name] = value
    if priority != 0:  # servers assume zero by default
        body["priority"] = priority
    if settings.record_tokens:
        body |= TOKEN_FIELDS
    elif settings.has_sessions:
        body |= WEIGHT_FIELDS
    if FORMATS[settings.output].has_schema(reply):
        schema = sent_schema(reply, settings.grammar)
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": reply.__name__, "strict": True, "schema": schema},
        }
    return body


def asks_tokens(body: Mapping[str, Any]) -> bool:
    """Return whether a request asks for the ids of its tokens."""
    return "return_token_ids" in body


def without_priority(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same body without a priority, for a server that refuses priorities."""
    return {key: value for key, value in recorded.items() if key != "priority"}


def messages_of(prompt: Prompt) -> list[dict[str, Any]]:
    """Return the conversation with marks in the place of image data."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": prompt.system if prompt.to_the_letter else break_tokens(prompt.system)},
        {"role": "user", "content": [_part(part) for part in prompt.content]},
    ]
    for turn in prompt.turns:
        messages.append({"role": "assistant", "content": break_tokens(turn.answer)})
        messages.append({"role": "user", "content": _content(turn.content)})
    return messages


def cut_answer(answer: str) -> str:
    """Return the beginning of an unusable answer, to show it to the model again."""
    return answer if len(answer) <= _LONGEST_ANSWER else answer[:_LONGEST_ANSWER] + " ..."


def add_repair_turn(prompt: Prompt, answer: str, problem: str, cut_off: bool) -> Prompt:
    """Return ``prompt`` with a turn that holds the model's ``answer``, says what is wrong and asks for a valid reply.

    The answer goes back as the model's own turn. ``problem`` is one line of ours, which may quote a few words of the
    answer. ``cut_off``: the answer was cut off at max_tokens.
    """
    mistake = harmless(" ".join(problem.split())[:_LONGEST_PROBLEM]).rstrip(".")
    shorter = " and it was cut off because it was too long" if cut_off else ""
    request = (
        f"This is not a valid reply{shorter}: {mistake}. Write the whole reply again in the form that was asked for"
        f"{', much shorter' if cut_off else ''}, and nothing else."
    )
    return replace(prompt, turns=(*prompt.turns, ChatTurn(cut_answer(answer) or "(nothing)", (request,))), repairs=True)


def conversation_of(messages: Sequence[Mapping[str, Any]], images: Sequence[ModelImage]) -> Prompt:
    """Return the conversation that ``messages_of`` has written, to continue it.

    From the returned conversation ``messages_of`` makes the same messages again, byte for byte. Raises BadInput if an
    image is missing.
    """
    by_mark = {IMAGE_MARK + image.content_id: image for image in images}
    system, question, *rest = messages
    turns = tuple(
        ChatTurn(answer["content"], _prompt_content(then["content"], by_mark))
        for answer, then in zip(rest[::2], rest[1::2], strict=True)
    )
    return Prompt(system["content"], _prompt_content(question["content"], by_mark), turns, to_the_letter=True)


def _prompt_content(
    content: str | Sequence[Mapping[str, Any]], images: Mapping[str, ModelImage]
) -> tuple[str | ModelImage, ...]:
    if isinstance(content, str):
        return (content,)
    return tuple(_prompt_part(part, images) for part in content)


def _prompt_part(part: Mapping[str, Any], images: Mapping[str, ModelImage]) -> str | ModelImage:
    if part["type"] == "text":
        text: str = part["text"]
        return text.removesuffix("\n")
    mark = part["image_url"]["url"]
    if mark not in images:
        raise BadInput(f"the conversation shows image {mark.removeprefix(IMAGE_MARK)}, which is not given")
    return images[mark]


def _content(content: tuple[str | ModelImage, ...]) -> str | list[dict[str, Any]]:
    """Return the content of a later turn. A single text needs no list of parts."""
    match content:
        case (str() as text,):
            return break_tokens(text)
        case _:
            return [_part(part) for part in content]


def break_tokens(text: str) -> str:
    """Return ``text`` without invisible characters and with its ``<|`` changed, so that it holds no control tokens.

    A tokenizer takes ``<|im_end|>`` for the end of a message wherever it occurs, even on a phone's screen.
    """
    return drop_invisible(text).replace("<|", "< |")


def _part(part: str | ModelImage) -> dict[str, Any]:
    """Return a part of a message.

    A picture has a ``uuid``, by which vLLM recognizes an equal picture without hashing it.
    """
    if isinstance(part, str):
        return {"type": "text", "text": f"{break_tokens(part)}\n"}
    return {"type": "image_url", "uuid": part.content_id, "image_url": {"url": IMAGE_MARK + part.content_id}}


@cache
def sent_schema(reply: type[Reply], grammar: Grammar = "guidance") -> dict[str, Any]:
    """Return the reply's JSON schema in a form that a server with this structured-output backend can enforce.

    With ``guidance`` (llguidance), the schema has limits on the length of strings. They are needed: without limits, a
    weak model spends all its tokens inside one string. With ``other``, the schema has no such limits, because xgrammar
    (0.2.8, read and tried) allows no escapes in a string of limited length. A model could then write no quotation mark,
    backslash or line break, and raw control characters would get through. The parser enforces the limits in any case.
    """
    schema = reply.model_json_schema()
    unlimited: dict[str, Any] = schema if grammar == "guidance" else _unlimited(schema)
    return unlimited


def _unlimited(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_unlimited(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    dropped = "maxLength" if schema.get("type") == "string" else None
    return {key: _unlimited(value) for key, value in schema.items() if key != dropped}


def wire_body(recorded: Mapping[str, Any], images: Mapping[str, bytes]) -> bytes:
    """Return the bytes to send: ``recorded`` with its JPEGs. Raises BadInput for a missing image."""
    body = {**recorded, "messages": wire_messages(recorded["messages"], images)}
    return to_json(body)


def wire_messages(recorded: Sequence[Mapping[str, Any]], images: Mapping[str, bytes]) -> list[Mapping[str, Any]]:
    """Return the conversation as it is sent. Raises BadInput for a missing image."""
    return [_with_images(message, images) for message in recorded]


def restore_request(call: ModelCall, images: Mapping[str, bytes]) -> bytes:
    """Return the body of a recorded call as it was sent, so that it can be sent again.

    ``images`` maps content ids to the JPEG bytes of that time (equal pixels give equal bytes). Raises BadInput for a
    missing image.
    """
    return wire_body(call.request, images)


def _with_images(message: Mapping[str, Any], images: Mapping[str, bytes]) -> Mapping[str, Any]:
    content = message["content"]
    if isinstance(content, str):
        return message
    return {**message, "content": [_with_image(part, images) for part in content]}


def _with_image(part: Mapping[str, Any], images: Mapping[str, bytes]) -> Mapping[str, Any]:
    if part["type"] != "image_url":
        return part
    content_id = part["image_url"]["url"].removeprefix(IMAGE_MARK)
    if content_id not in images:
        raise BadInput(f"the request shows image {content_id}, which is not given")
    data = base64.b64encode(images[content_id]).decode("ascii")
    return {**part, "image_url": {"url": f"data:image/jpeg;base64,{data}"}}
