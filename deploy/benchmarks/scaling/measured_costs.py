"""Take the model's part of a step from what ``manyhands bench model`` has measured."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from manyhands.deploy.benchmarks.model.figures import LOAD_SHARE, CarriedPhones, LoadFigures
from manyhands.deploy.benchmarks.model.report import ModelReport, ProfileFigures
from manyhands.deploy.benchmarks.scaling.costs import CostFigure, CostKind, ModelCosts
from manyhands.protocol.errors import BadInput, explain
from manyhands.protocol.terminal_text import count_noun


def read_report(path: Path) -> ModelReport:
    """Read the JSON of a measurement. Blocks. Raises BadInput."""
    try:
        return ModelReport.model_validate_json(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except ValidationError as error:
        wanted = "the model.json that manyhands bench model writes"
        raise BadInput(f"{path}: is not {wanted}: {explain(error, ModelReport)}") from error


def measured_costs(report: ModelReport, profile: str | None) -> ModelCosts:
    """Return the costs of a step under a profile; by default, under the first one that has figures.

    Raises BadInput if the report has no figures of it.
    """
    usable = {one.profile: one for one in report.profiles if one.carried is not None}
    wanted = profile or next(iter(usable), None)
    problems = [f"{one.profile}: {why}" for one in report.profiles if (why := one.problem or one.unsure)]
    problem = next(iter(problems), "")
    if problem and wanted not in usable:
        raise BadInput(f"{problem} Run manyhands bench model again")
    if wanted is None:
        raise BadInput("no load of any profile was measured without failed calls; run manyhands bench model again")
    if wanted not in usable:
        raise BadInput(f"--profile {wanted}: was not measured; there are {', '.join(usable) or 'none'}")
    figures = usable[wanted]
    assert figures.carried is not None
    load = _nearest(figures, figures.carried)
    phones = count_noun(load.phones, "phone")
    where = f"prompts of `{wanted}`: `manyhands bench model`, {phones}, the load that is nearest to that one"
    at_share = f"the same server at {LOAD_SHARE:.0%} of its most steps a second"

    def measured(value: float | None, source: str, kind: CostKind = "measured") -> CostFigure:
        if value is None:
            raise BadInput(f"the server does not tell how many tokens a call has; {wanted} has no figures of them")
        return CostFigure(value, kind, source)

    carried = figures.carried
    given = f"{carried.step_model_s:.2g} s of the model (`manyhands bench model`, {at_share}) and {carried.phone_s:g} s"
    return ModelCosts(
        step_s=measured(carried.step_model_s + carried.phone_s, f"{given} of the phone, assumed", "computed"),
        calls=measured(
            figures.calls_per_step, f"`{wanted}`, the recording that was sent, made with {figures.recorded_with}"
        ),
        call_s=measured(load.call_s.mean if load.call_s else None, where),
        input_tokens=measured(load.input_tokens_step, where),
        uncached_tokens=measured(load.uncached_tokens_step, "the same"),
        output_tokens=measured(load.output_tokens_step, "the same"),
        server_steps_s=measured(carried.steps_s, f"`manyhands bench model`, {at_share}"),
        answered_by=_server(report),
        profile=wanted,
        others=tuple(name for name in usable if name != wanted),
    )


def _nearest(figures: ProfileFigures, carried: CarriedPhones) -> LoadFigures:
    """Return the load without failed calls whose phones are nearest to those that the server carries."""
    usable = [load for load in figures.loads if not load.fates.failed and load.steps_s > 0]
    return min(usable, key=lambda load: abs(load.phones - carried.asking))


def _server(report: ModelReport) -> str:
    """Return what answered. A stand-in is called a stand-in."""
    server = report.server
    if server.stand_in:
        return server.stand_in
    version = f", vLLM {server.version}" if server.version else ""
    gpu = f", {server.gpus[0].split(',')[0]}" if server.gpus else ""
    return f"{server.model}{version}{gpu}"
