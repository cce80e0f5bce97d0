"""``manyhands bench scaling``: compute what fleets need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manyhands.deploy.benchmarks.scaling.costs import ASSUMED, CostFigure
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import failing_with_a_line, say_json, text_console
from manyhands.protocol.errors import BadInput, store_error

if TYPE_CHECKING:
    from manyhands.deploy.benchmarks.scaling.costs import ModelCosts

EXAMPLE = (
    "Example: manyhands bench scaling runs/20260102-101500_bench_model/model.json --profile native. Without a file the "
    "model's figures are those assumed in docs/scaling.md. Exit codes: 0 printed, 2 bad input."
)


def command(
    measured: Annotated[
        Path | None, typer.Argument(help="The model.json that bench model wrote.", show_default=False)
    ] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", help="The profile whose figures count. Default: the first that has some.")
    ] = None,
    phones: Annotated[
        list[int] | None, typer.Option("--phones", min=1, help="A fleet's phones; repeatable.", show_default=False)
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option("--write", help="Put the tables into this page, such as docs/scaling.md.", show_default=False),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute what fleets need, from what bench model measured or, without a file, from assumed figures."""
    from manyhands.deploy.benchmarks.scaling.tables import FLEETS, fleet_table, model_table, part_table

    with failing_with_a_line(as_json):
        fleets = tuple(phones) if phones else FLEETS
        costs = _costs(measured, profile)
        if write is not None:
            _write(write, costs, fleets)
        if as_json:
            say_json(_as_json(costs, fleets))
        elif write is None:
            lines = ("The model", *model_table(costs), "", "Fleets", *fleet_table(costs, fleets), "", "Our own parts")
            text_console().print("\n".join((*lines, *part_table(costs))), soft_wrap=True)
            if costs.others:
                more = ", ".join(f"--profile {name}" for name in costs.others)
                text_console().print(
                    f"\nThese are figures of {costs.profile}. Measured as well: {more}", soft_wrap=True
                )


def _costs(measured: Path | None, profile: str | None) -> ModelCosts:
    from manyhands.deploy.benchmarks.scaling.measured_costs import measured_costs, read_report

    if measured is None:
        if profile is not None:
            raise BadInput("--profile: chooses among measured profiles; name the model.json as well")
        return ASSUMED
    return measured_costs(read_report(measured), profile)


def _write(page: Path, costs: ModelCosts, fleets: Sequence[int]) -> None:
    from manyhands.deploy.benchmarks.scaling.tables import fill_page

    try:
        text = page.read_text(encoding="utf-8")
        page.write_text(fill_page(text, costs, fleets), encoding="utf-8")
    except OSError as error:
        raise store_error(error, f"{page} cannot be written") from error
    except BadInput as error:
        raise BadInput(f"--write {page}: {error}") from None
    text_console(stderr=True).print(f"Written: {page}", soft_wrap=True)


def _as_json(costs: ModelCosts, fleets: Sequence[int]) -> dict[str, object]:
    """Return the costs of a step and what each fleet needs."""
    from manyhands.deploy.benchmarks.scaling.tables import fleet_needs

    return {
        "answered_by": costs.answered_by,
        "model": {
            name: asdict(value) for name in costs.__slots__ if isinstance(value := getattr(costs, name), CostFigure)
        },
        "fleets": [
            {
                "phones": phones,
                **{need.name: need.amount(phones, phones / costs.step_s.value) for need in fleet_needs(costs)},
            }
            for phones in fleets
        ],
    }
