"""``manyhands approvals``: which actions of agents wait for a person's word, and the answer to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.protocol.errors import BadInput
from manyhands.protocol.service.attention import Approval, ApprovalOutcome
from manyhands.protocol.utilities.terminal_text import count_noun, show_controls
from manyhands.service.commands import options as service_options

EXAMPLE = (
    "Example: manyhands approvals --allow 3f9c2a71d05be846. Exit codes: 0, 1 no service answers or it refuses, or a "
    "phone asks something else by now, 2 bad input."
)
_COLUMNS = ("approval", "phones", "question", "goal")
_OUTCOME_COLUMNS = ("phone", "episode", "answer")


def command(
    allow: Annotated[
        str | None,
        typer.Option("--allow", metavar="APPROVAL", help="Allow the action on these phones.", show_default=False),
    ] = None,
    decline: Annotated[
        str | None,
        typer.Option("--decline", metavar="APPROVAL", help="Decline the action on these phones.", show_default=False),
    ] = None,
    server: service_options.Server = None,
    ca: service_options.Ca = None,
    as_json: options.AsJson = False,
) -> None:
    """List the actions that wait for a person's word, or answer one. Equal questions of several phones are one.

    An approval's id changes when a phone joins or leaves it. So only the phones that were listed get the answer.
    """
    if allow is not None and decline is not None:
        raise BadInput("--allow and --decline exclude each other")
    if allow is None and decline is None:
        carry_out(lambda: _list(server, ca, as_json), as_json)
    carry_out(lambda: _answer(allow or decline or "", allow is not None, server, ca, as_json), as_json)


async def _list(server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        approvals = await client.approvals()
    if as_json:
        say_json([one.model_dump(mode="json") for one in approvals])
        return 0
    text_console().print(table(None, _COLUMNS, map(_cells, approvals)) if approvals else "no action waits for a person")
    return 0


async def _answer(id: str, is_allowed: bool, server: str | None, ca: Path | None, as_json: bool) -> int:
    async with service_options.open_client(server, ca) as client:
        outcomes = await (client.allow_approval(id) if is_allowed else client.decline_approval(id))
    if as_json:
        say_json([one.model_dump(mode="json") for one in outcomes])
    else:
        word = "allowed" if is_allowed else "declined"
        text_console().print(table(None, _OUTCOME_COLUMNS, (_outcome_cells(one, word) for one in outcomes)))
    return int(any(one.problem for one in outcomes))


def _cells(approval: Approval) -> Sequence[str]:
    first = approval.episodes[0].serial
    phones = first if len(approval.episodes) == 1 else count_noun(len(approval.episodes), "phone")
    return (approval.id, phones, show_controls(approval.question), show_controls(approval.goal))


def _outcome_cells(outcome: ApprovalOutcome, word: str) -> Sequence[str]:
    return (outcome.serial, outcome.episode, outcome.problem or word)
