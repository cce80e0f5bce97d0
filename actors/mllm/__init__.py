"""Call OpenAI-compatible model servers, and know the dialects of model families.

The path of a question, from ``ModelRole.ask`` (``actors.roles.base``), with a prompt that ``Prompts.of_step`` made:

1. ``ModelClient.complete`` (``client.client``) refuses a speculative call if the servers have no capacity for it
   (``load.speculation``). It limits the call by its deadline.
2. ``recorded_body`` and ``wire_body`` (``request.bodies``) make the JSON body. The journal gets it with content ids in
   the place of pictures.
3. ``Admission.enter`` (``load.admission``) waits for a place, in the order of the roles' priorities. The cap follows
   the servers' queues (``load.admission``).
4. ``CallAttempts.send`` (``client.attempts``) makes the attempts: it decides at which server, how often and when.
   ``load.pool`` sends all calls of one phone to the same server, whose caches hold the phone's screens.
5. ``Transport.post`` (``client.transport``) sends the request, with headers for tracing. Cancelling closes the
   connection, so that the server stops.
6. ``read`` (``parse.replies``) parses the model's output into a reply, or raises ``ReplyUnusable``. An invalid reply is
   sent back to the model once, as the model's own turn, with one sentence on what is wrong. ``read_action``
   (``request.actions``) converts coordinates, by the ``Dialect``, into pixels of the screenshot.

Beside calls, ``load.monitor`` asks servers for ``/health`` (after a failure) and ``/metrics`` (while requests are in
flight), and ``client.startup`` asks for ``/version``. These requests carry no key. A server may lack any of these
pages.
"""

from manyhands.actors.mllm.client.client import Completion, ModelClient
from manyhands.actors.mllm.client.startup import (
    NO_WAIT,
    LoadingWait,
    ServedModel,
    served_model,
    served_name,
    try_question,
)
from manyhands.actors.mllm.parse.replies import parse, read
from manyhands.actors.mllm.request.bodies import Prompt, restore_request
from manyhands.actors.mllm.request.dialects import Dialect, dialect_named, dialect_of
from manyhands.actors.mllm.settings import ModelSettings, suggest_address

__all__ = [
    "NO_WAIT",
    "Completion",
    "Dialect",
    "LoadingWait",
    "ModelClient",
    "ModelSettings",
    "Prompt",
    "ServedModel",
    "dialect_named",
    "dialect_of",
    "parse",
    "read",
    "restore_request",
    "served_model",
    "served_name",
    "suggest_address",
    "try_question",
]
