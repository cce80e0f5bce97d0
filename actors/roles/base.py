"""What the roles share: the model is asked and its answer is parsed. In one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from actors.mllm import Dialect, ModelClient, ModelSettings, Prompt, parse
from actors.prompts import Prompts
from protocol.base import Input, Reply, Role
from protocol.errors import ReplyUnusable
from protocol.messages import CallContext, ModelCall
from protocol.runs import Profile

R = TypeVar("R", bound=Reply)


class RoleSettings(Input):
    """A role's model and the profile whose prompts it uses."""

    model: ModelSettings
    profile: Profile = "e"


@dataclass(frozen=True, slots=True)
class Asked(Generic[R]):
    """A parsed reply and the call that brought it."""

    reply: R
    call: ModelCall


class ModelRole:
    """A role that asks a model. It holds prompts and a client, and nothing of any episode.

    The client enforces each call's deadline and the admission limits.
    """

    role: ClassVar[Role]

    def __init__(self, settings: RoleSettings) -> None:
        self._client = ModelClient(settings.model)
        self._prompts = Prompts(self._client.dialect, profile=settings.profile)

    async def start(self) -> None:
        """Raises BadInput, ModelUnreachable (where the model's name has to be asked)."""
        await self._client.start()

    async def stop(self) -> None:
        await self._client.stop()

    @property
    def dialect(self) -> Dialect:
        return self._client.dialect

    async def ask(
        self,
        reply: type[R],
        prompt: Prompt,
        route: str,
        context: CallContext,
    ) -> Asked[R]:
        """The model's reply to ``prompt``. ``route`` is the phone's serial: it keeps to one server.

        Raises ReplyUnusable with the call, and what ModelClient.complete raises.
        """
        completion = await self._client.complete(self.role, prompt, reply, route, context)
        try:
            return Asked(parse(reply, completion.text), completion.call)
        except ReplyUnusable as error:
            reason = f"the answer was cut off at its longest; {error}" if completion.cut_off else str(error)
            raise ReplyUnusable(reason, calls=(completion.call,)) from None


_NOTHING = frozenset({"", "none", "none yet", "n/a", "null"})


def meant(text: str) -> str:
    """``text`` stripped, and empty where a model has written out that there is nothing."""
    stripped = text.strip()
    return "" if stripped.strip(".").lower() in _NOTHING else stripped
