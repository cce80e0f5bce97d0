"""The client of an OpenAI-compatible model server, and the dialects of model families.

The path of a question (``ModelRole.ask`` in ``actors.roles.base``, which made the prompt by ``Prompts.of_step``):

1. ``ModelClient.complete`` (``client.client``) refuses a speculative call for which servers have no capacity
   (``load.speculation``), and bounds the call by its deadline.
2. ``recorded_body``, ``wire_body`` (``request.bodies``) make the JSON body. It is journalled with content ids in the
   place of pictures.
3. ``Admission.enter`` (``load.admission``) waits for a place by the priority of the role; the cap follows the
   servers' queues (``load.limiter``).
4. ``CallAttempts.send`` (``client.attempts``) owns the attempts: which server (``load.pool`` keeps a phone at one,
   whose caches know its screens), how often, when again.
5. ``Transport.post`` (``client.transport``) sends it, with headers for tracing. Cancelling closes the connection, so
   that the server stops.
6. ``read`` (``parse.replies``) turns the model's words into a reply, or raises ``ReplyUnusable``; an invalid reply is
   sent back once, as the model's own turn, with one sentence on what is wrong. ``read_action`` (``request.actions``)
   turns its coordinates, by the ``Dialect``, into pixels of the screenshot.

Beside calls, ``load.monitor`` asks servers for ``/health`` (after a failure) and ``/metrics`` (while requests are in
flight), and ``client.startup`` for ``/version``, all without the key. A server needs none of them.
"""

from manyhands.actors.mllm.client.client import Completion, ModelClient
from manyhands.actors.mllm.client.startup import served_name
from manyhands.actors.mllm.client.trial_request import try_question
from manyhands.actors.mllm.parse.replies import parse, read
from manyhands.actors.mllm.request.bodies import Prompt, restore_request
from manyhands.actors.mllm.request.dialects import Dialect, dialect_named
from manyhands.actors.mllm.settings import ModelSettings, suggest_address

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
    "suggest_address",
    "try_question",
]
