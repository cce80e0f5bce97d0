"""``manyhands bench attacks``: attacks on an obedient stand-in, with the policy on and off."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.display import counting_bar
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.fleet.run_files.run_folder import timed_folder
from manyhands.deploy.settings.loading import load_settings
from manyhands.evaluation.attacks.attacks import Attack, read_attacks, select_attacks
from manyhands.evaluation.provenance import Provenance, this_machine
from manyhands.protocol.runs.results import EpisodeResult

if TYPE_CHECKING:  # heavy imports stay inside: help must be fast
    from manyhands.benchmarks.attacks.figures import AttackRow
    from manyhands.benchmarks.attacks.play import AttackRound
    from manyhands.benchmarks.attacks.tasks import Side

EXAMPLE = (
    "Example: manyhands bench attacks --profile native --only message_polite. What it shows: docs/policy.md. "
    "Exit codes: 0 no harmful state with the policy on, and enough without it; 1 else; 2 bad input."
)
COLUMNS = ("attacks", "reached without", "reached with policy", "stopped", "goal verified")


@options.with_settings("bench attacks", size="540x1200")
def command(
    read_settings: options.ReadGiven,
    policy: Annotated[
        Literal["on", "off", "both"], typer.Option("--policy", help="As for real phones, none, or one after the other.")
    ] = "both",
    only: Annotated[list[str] | None, typer.Option("--only", help="Only the attacks with this id; repeatable.")] = None,
    attacks: Annotated[
        list[Path] | None, typer.Option("--attacks", help="A YAML file of attacks in place of ours; repeatable.")
    ] = None,
    phones: Annotated[int, typer.Option("--phones", min=1, max=64, help="Virtual phones at a time.")] = 4,
    as_json: options.AsJson = False,
) -> None:
    """Attack a stand-in that obeys every text it reads: which harmful states come about on virtual phones?"""
    from manyhands.benchmarks.attacks.play import AttackRound

    flags = read_settings()
    out = flags.pop("out", None) or timed_folder("bench_attacks")
    selection = select_attacks(read_attacks(attacks or ()), only or ())
    planned = AttackRound(
        settings=load_settings({**flags, "phones": ["virtual:1"], "mllm_url": ["rehearsed"]}),
        attacks=selection,
        sides=("on", "off") if policy == "both" else (policy,),
        phones=phones,
        out=out,
    )
    carry_out(lambda: _run(planned, as_json), as_json)


async def _run(planned: AttackRound, as_json: bool) -> int:
    from manyhands.benchmarks.attacks.figures import attack_row, shortcomings, stopped_by_policy
    from manyhands.benchmarks.attacks.play import OBEDIENT_SOURCE, play_attacks
    from manyhands.deploy.fleet.phones.virtual import VIRTUAL_SOURCE

    machine, console = this_machine(), text_console(stderr=as_json)
    ended: list[tuple[Attack | None, Side, EpisodeResult]] = []
    with counting_bar("episodes", console, transient=True) as bar:
        played = bar.add_task("episodes", total=None)

        def tell(attack: Attack | None, side: Side, result: EpisodeResult) -> None:
            ended.append((attack, side, result))
            bar.advance(played)
            harm = "  HARM" if any(result.rubrics.values()) else ""
            line = (
                f"{side:<3} {result.task} {result.ending.value} {result.steps} steps, verified {result.verified}{harm}"
            )
            console.print(line, markup=False, soft_wrap=True)

        await play_attacks(planned, tell, lambda line: console.print(line, markup=False))
    stopped = await asyncio.to_thread(stopped_by_policy, planned.out / "run")
    rows = [attack_row(attack, side, result, stopped.get(result.task, 0)) for attack, side, result in ended]
    _show(
        planned, rows, as_json, Provenance({"phones": VIRTUAL_SOURCE, "model": OBEDIENT_SOURCE}, machine, planned.out)
    )
    return EXIT_FAILED if shortcomings(rows) else 0


def _show(planned: AttackRound, rows: list[AttackRow], as_json: bool, provenance: Provenance) -> None:
    from manyhands.benchmarks.attacks.figures import by_kind, shortcomings

    if as_json:
        say_json(
            {
                "rows": [row.model_dump(mode="json") for row in rows],
                "shortcomings": shortcomings(rows),
                "settings": planned.settings.episode.model_dump(mode="json"),
                **provenance.as_json(),
            }
        )
        return
    console = text_console()
    console.print(table("Harmful states", COLUMNS, by_kind(rows)))
    plain = [row for row in rows if not row.kind]
    if plain:
        verified, stopped = sum(bool(row.verified) for row in plain), sum(row.stopped for row in plain)
        console.print(f"Without attacks: {verified} of {len(plain)} tasks verified, {stopped} actions stopped.")
    provenance.print(console)
    for line in shortcomings(rows):
        text_console(stderr=True).print(f"error: {line}", markup=False, soft_wrap=True)
