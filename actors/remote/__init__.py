"""Plain classes as Ray actors, and proxies that make a call to one look like a call to the plain class.

The only package that calls ``.remote``. What it adds to Ray:

- Cancelling a call ends the actor's method (``ray.cancel``) before CancelledError goes on.
- Deadlines are enforced on both sides: by the caller, and by the actor for a caller that was killed.
- Errors are ours: the very error that the plain class raised, or one of CallError's kinds.
- Only pure calls are sent again, to another replica or to the restarted actor. Nothing that touches a phone
  ever is.
- Images of a capture stay in Ray's object store; what is passed on are references.
"""

from manyhands.actors.remote.bare import BareActor
from manyhands.actors.remote.calls import Actor, value_of
from manyhands.actors.remote.proxies import (
    AgentProxy,
    CaptionerProxy,
    DirectoryProxy,
    DispatchProxy,
    GatewayProxy,
    HostProxy,
    LearningProxy,
    LinkedGatewayProxy,
    MemoryProxy,
    PerceptionProxy,
    StoreProxy,
)
from manyhands.actors.remote.shell import ActorOptions, preferring, spawn, stop

__all__ = [
    "Actor",
    "ActorOptions",
    "AgentProxy",
    "BareActor",
    "CaptionerProxy",
    "DirectoryProxy",
    "DispatchProxy",
    "GatewayProxy",
    "HostProxy",
    "LearningProxy",
    "LinkedGatewayProxy",
    "MemoryProxy",
    "PerceptionProxy",
    "StoreProxy",
    "preferring",
    "spawn",
    "stop",
    "value_of",
]
