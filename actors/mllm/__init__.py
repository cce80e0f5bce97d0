"""The client of an OpenAI-compatible model server, and the dialects of model families."""

from actors.mllm.bodies import Prompt, restore_request
from actors.mllm.client import Completion, ModelClient
from actors.mllm.dialects import Dialect, dialect_named
from actors.mllm.opening import served_name
from actors.mllm.parse import parse, read
from actors.mllm.settings import ModelSettings
from actors.mllm.trial import try_question

__all__ = [
    "Completion",
    "Dialect",
    "ModelClient",
    "ModelSettings",
    "Prompt",
    "dialect_named",
    "parse",
    "read",
    "restore_request",
    "served_name",
    "try_question",
]
