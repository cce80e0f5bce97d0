"""The client of an OpenAI-compatible model server, and the dialects of model families."""

from manyhands.actors.mllm.client.client import Completion, ModelClient
from manyhands.actors.mllm.client.startup import served_name
from manyhands.actors.mllm.client.trial_request import try_question
from manyhands.actors.mllm.parse import parse, read
from manyhands.actors.mllm.request.bodies import Prompt, restore_request
from manyhands.actors.mllm.request.dialects import Dialect, dialect_named
from manyhands.actors.mllm.settings import ModelSettings

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
