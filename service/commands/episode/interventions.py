"""Define ``manyhands episode show``, ``pause``, ``resume``, ``answer``, ``stop``, ``take-over`` and ``hand-back``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.lazy import Subcommand
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.interventions import ControlStatus
from manyhands.protocol.utilities.terminal_text import show_controls
from manyhands.service.commands import options as service_options

if TYPE_CHECKING:  # it needs libraries that take a while to import
    from manyhands.service.client.async_client import AsyncClient

    Ask = Callable[[AsyncClient], Awaitable[ControlStatus]]

Id = Annotated[str, typer.Argument(metavar="EPISODE", help="The id of a running episode.", show_default=False)]
Reason = Annotated[str | None, typer.Option("--reason", help="Why, for people.", show_default=False)]


def show(
    id: Id, server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """Show who controls an episode: the agent, or a person."""
    carry_out(lambda: _ask(lambda client: client.control(id), server, ca, as_json), as_json)


def pause(
    id: Id,
    reason: Reason = None,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Pause an episode: no further action is sent until it is resumed. Its time limit stands still."""
    carry_out(lambda: _ask(lambda client: client.pause_episode(id, reason=reason), server, ca, as_json), as_json)


def resume(
    id: Id, server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """Resume a paused episode."""
    carry_out(lambda: _ask(lambda client: client.resume_episode(id), server, ca, as_json), as_json)


def answer(
    id: Id,
    words: Annotated[str | None, typer.Argument(help="The answer.", show_default=False)] = None,
    decline: Annotated[bool, typer.Option("--decline", help="Decline to answer, or to allow the action.")] = False,
    allow: Annotated[
        str | None,
        typer.Option(
            "--allow",
            metavar="QUESTION",
            help="Allow the action of this question, by its id in `status`.",
            show_default=False,
        ),
    ] = None,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Answer what an episode's agent asks, or decline to. The first answer counts."""
    if [decline, bool(allow), bool(words)].count(True) != 1:
        raise BadInput("give the answer in quotation marks, or --allow, or --decline")
    carry_out(lambda: _ask(lambda client: client.answer_episode(id, words, allows=allow), server, ca, as_json), as_json)


def stop(
    id: Id,
    reason: Reason = None,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """Stop an episode at once, and cancel its task. Return when the episode has ended."""
    carry_out(lambda: _ask(lambda client: client.stop_episode(id, reason=reason), server, ca, as_json), as_json)


def take_over(
    id: Id, server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """Take an episode over: the agent holds, and you may use its phone, in the console or by the API."""
    carry_out(lambda: _ask(lambda client: client.take_over(id), server, ca, as_json), as_json)


def hand_back(
    id: Id, server: service_options.Server = None, ca: service_options.Ca = None, as_json: options.AsJson = False
) -> None:
    """Hand an episode back: the agent goes on from the present screen."""
    carry_out(lambda: _ask(lambda client: client.hand_back(id), server, ca, as_json), as_json)


async def _ask(ask: Ask, server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        status = await ask(client)
    if as_json:
        say_json(status.model_dump(mode="json"))
        return 0
    text_console().print(_describe(status), soft_wrap=True, markup=False)
    return 0


def _describe(status: ControlStatus) -> str:
    phase = status.phase.replace("_", " ")
    if status.ending is not None:
        return f"{status.episode}: {phase}, {status.ending}: {status.reason}"
    if status.consent is not None:
        return f"{status.episode}: asks {status.consent.id}: {show_controls(status.question)}"
    if status.question:
        return f"{status.episode}: the agent asks: {show_controls(status.question)}"
    return f"{status.episode}: {phase} by {status.by}" if status.by else f"{status.episode}: {phase}"


_CODES = "Exit codes: 0, 1 no service answers or it refuses, 2 bad input."
SUBCOMMANDS = {
    "show": Subcommand(show, f"Example: manyhands episode show b17.buy-1-x. {_CODES}"),
    "pause": Subcommand(pause, f"Example: manyhands episode pause b17.buy-1-x --reason 'a look'. {_CODES}"),
    "resume": Subcommand(resume, f"Example: manyhands episode resume b17.buy-1-x. {_CODES}"),
    "answer": Subcommand(answer, f"Example: manyhands episode answer b17.buy-1-x 'The second one.'. {_CODES}"),
    "stop": Subcommand(stop, f"Example: manyhands episode stop b17.buy-1-x --reason 'wrong account'. {_CODES}"),
    "take-over": Subcommand(take_over, f"Example: manyhands episode take-over b17.buy-1-x. {_CODES}"),
    "hand-back": Subcommand(hand_back, f"Example: manyhands episode hand-back b17.buy-1-x. {_CODES}"),
}
