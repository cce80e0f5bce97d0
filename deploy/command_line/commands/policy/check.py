"""``manyhands policy check``: judge the actions of a recorded run, as if its phones were real ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import say_json, table, text_console
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.policy import Grant
from manyhands.protocol.utilities.terminal_text import choose_verb, count_noun

if TYPE_CHECKING:  # heavy imports stay inside: help must be fast
    from manyhands.deploy.policy_check import JudgedAction

EXAMPLE = (
    "Example: manyhands policy check runs/20260102-101500_night --allow send:Messages. "
    "Exit codes: 0 nothing would be asked, 1 something would, 2 bad input."
)


@options.reads_runs
def command(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", help="A grant beside those of run and tasks: EFFECT:APP:ABOUT.", show_default=False),
    ] = None,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Say which actions of a run would have needed a person's word on real phones.

    The policy and its grants are those of --config; without it, the defaults.

    The first action of each step is judged: what later ones met is not on record. Screens that the run did not read
    count as unknown.
    """
    from manyhands.deploy.policy_check import judge_records
    from manyhands.evaluation.run_folder import RunFolder  # heavy imports stay inside: help must be fast

    try:
        own_grants = tuple(map(Grant.parse, allow or ()))
    except ValueError as error:
        raise BadInput(f"--allow {error}") from None
    episode = load_settings({}, config).episode
    grants, scans = (*own_grants, *map(Grant.parse, episode.allow)), RunFolder(run).journals.values()
    judged = [one for scan in scans for one in judge_records(scan.records, grants, episode.policy)]
    asks = [one for one in judged if one.verdict.decision != "allow"]
    if as_json:
        say_json(
            {
                "actions": len(judged),
                "asks": [{"task": one.task, "step": one.step, **one.verdict.model_dump(mode="json")} for one in asks],
            }
        )
    else:
        _print(judged, asks)
    raise typer.Exit(1 if asks else 0)


def _print(judged: Sequence[JudgedAction], asks: Sequence[JudgedAction]) -> None:
    console = text_console()
    if asks:
        rows = [(one.task, str(one.step), str(one.verdict.effect), one.verdict.reason) for one in asks]
        console.print(table(None, ("task", "step", "effect", "why"), rows))
    counts = Counter(one.verdict.effect.value for one in asks if one.verdict.effect is not None)
    by_effect = "".join(f"; {effect}: {number}" for effect, number in counts.most_common())
    verb = choose_verb(len(asks), "needs", "need")
    console.print(
        f"{len(asks)} of {count_noun(len(judged), 'action')} {verb} a person's word{by_effect}",
        soft_wrap=True,
        markup=False,
    )
