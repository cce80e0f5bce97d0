"""Plain classes as Ray actors, and proxies that make a call to an actor look like a call to the plain class.

Only this package calls ``.remote``. It adds to Ray:

- Cancelling a call ends the actor's method (``ray.cancel``) before CancelledError is raised further.
- Both sides enforce deadlines (``CallContext.deadline``, Unix seconds). The plain class raises at the deadline. 0.2 s
  later its actor does, in case the caller was killed. 1 s after the deadline the caller does. So the error that
  explains most arrives first.
- Callers get our own errors: the error that the plain class raised, or a subclass of CallError.
- Only pure calls are sent again, to another replica or to the restarted actor. Calls that touch a phone are never sent
  again.
- Images of a capture stay in Ray's object store; callers pass references on.
"""

from manyhands.actors.remote.actor import ActorOptions, BareActor, preferring, spawn, stop
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
    NamedAgentProxy,
    PerceptionProxy,
    StoreProxy,
)

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
    "NamedAgentProxy",
    "PerceptionProxy",
    "StoreProxy",
    "preferring",
    "spawn",
    "stop",
    "value_of",
]
