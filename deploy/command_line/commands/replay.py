"""``manyhands replay``: send a run's recorded requests to another server or model."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, table, text_console
from manyhands.deploy.settings.models import REHEARSED, RehearsalOptions
from manyhands.evaluation.recorded_calls import RecordedCall, recorded_calls
from manyhands.evaluation.replay_report import (
    DecisionAgreement,
    Matrix,
    NotesAgreement,
    PlanAgreement,
    ReflectionAgreement,
    ReplayReport,
    RoleReport,
)
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Outcome
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.roles.role import Role, role_words
from manyhands.protocol.runs.run_summary import Percentiles
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.actors.mllm import Dialect
    from manyhands.deploy.replay import ReplaySettings
    from manyhands.evaluation.replay_report import Replayed, ReplayReport

NOTHING = "-"


def _report_tables(report: ReplayReport) -> Iterator[RenderableType]:
    """Yield what is to be printed, from top to bottom."""
    stopped = "" if report.replayed == report.requests else "; stopped before the end"
    yield Text(f"\nthen: {report.recorded_model}")
    if report.recorded_source not in (report.recorded_model, ""):
        yield Text(f"      {report.recorded_source}", style="dim")
    yield Text(f"now:  {report.model}, at {report.server}")
    if report.source:
        yield Text(f"      {report.source}", style="dim")
    yield Text(
        f"{report.replayed} of {report.requests} requests replayed, coordinates read as {report.dialect}{stopped}\n"
    )
    if not report.roles:
        return
    yield _replies(report.roles)
    yield Text()
    yield _costs(report.roles)
    for role, figures in report.roles.items():
        yield Text(f"\n{role}", style="bold")
        for line in _agreement(figures):
            yield Text(f"  {line}")


def _replies(roles: Mapping[str, RoleReport]) -> RenderableType:
    rows = [
        (
            role,
            str(one.requests),
            _of(one.answered, one.requests),
            _of(one.recorded_parsed, one.requests),
            _of(one.parsed, one.requests),
            _of(one.identical, one.answered_twice),
            _of(one.repeats_identical, one.repeats),
            ", ".join(f"{count} {code}" for code, count in one.failures.items()) or NOTHING,
        )
        for role, one in roles.items()
    ]
    columns = ("role", "requests", "answered", "parsed then", "parsed now", "identical", "repeats id.", "failures now")
    return table(None, columns, rows)


def _costs(roles: Mapping[str, RoleReport]) -> RenderableType:
    rows = []
    for role, one in roles.items():
        before, now = one.recorded_tokens, one.tokens
        rows.append(
            (
                role,
                f"{_seconds(one.recorded_latency_ms)} > {_seconds(one.latency_ms)}",
                f"{before.input:,} > {now.input:,}",
                f"{before.cached:,} > {now.cached:,}",
                f"{before.output:,} > {now.output:,}",
            )
        )
    columns = ("role", "s p50/p95, then > now", "input tokens", "cached", "output")
    return table(None, columns, rows)


def _agreement(figures: RoleReport) -> Iterator[str]:
    match figures.agreement:
        case DecisionAgreement() as decisions:
            yield from _decisions(decisions)
        case ReflectionAgreement() as verdicts:
            yield f"same outcome {_of(verdicts.same_outcome, verdicts.compared)}"
            yield from _outcomes(verdicts.outcomes)
        case PlanAgreement() as plans:
            yield f"same change {_of(plans.same_change, plans.compared)}{_differing(plans.changes)}"
            yield f"same status {_of(plans.same_status, plans.compared)}{_differing(plans.statuses)}"
        case NotesAgreement() as notes:
            yield f"same words {_of(notes.same_words, notes.compared)}"
            if notes.shared_words is not None:
                yield f"words shared: median {notes.shared_words.p50:.0%}, mean {notes.shared_words.mean:.0%}"


def _decisions(decisions: DecisionAgreement) -> Iterator[str]:
    yield f"same kind of action {_of(decisions.same_kind, decisions.compared)}{_differing(decisions.kinds)}"
    yield f"same arguments too {_of(decisions.same_action, decisions.compared)}"
    apart, share = decisions.distance_px, decisions.distance_share
    if apart is not None and share is not None:
        yield (
            f"points apart ({decisions.points} pairs): median {apart.p50:.0f} px ({share.p50:.1%} of the diagonal), "
            f"p95 {apart.p95:.0f} px ({share.p95:.1%})"
        )
    if decisions.on_element:
        yield f"on the same element {_of(decisions.same_element, decisions.on_element)}"


def _outcomes(matrix: Matrix) -> Iterator[str]:
    """Yield lines with recorded outcomes as rows and new outcomes as columns."""
    letters = [outcome.value for outcome in Outcome]
    yield "then\\now " + "".join(f"{letter:>5}" for letter in letters)
    for letter in letters:
        yield f"{letter:<9}" + "".join(f"{matrix.get(letter, {}).get(now, 0):>5}" for now in letters)


def _differing(matrix: Matrix) -> str:
    pairs = sorted(
        ((count, before, now) for before, row in matrix.items() for now, count in row.items() if before != now),
        key=lambda row: -row[0],
    )
    if not pairs:
        return ""
    more = f", {len(pairs) - 4} more" if len(pairs) > 4 else ""
    return "; " + ", ".join(f"{before} > {now} {count}" for count, before, now in pairs[:4]) + more


def _of(part: int, whole: int) -> str:
    """Format ``5/6 83%``; a dash if ``whole`` is 0."""
    return f"{part}/{whole} {part / whole:.0%}" if whole else NOTHING


def _seconds(latency: Percentiles | None) -> str:
    return f"{latency.p50 / 1000:.2f}/{latency.p95 / 1000:.2f}" if latency else NOTHING


EXAMPLE = (
    "Example: manyhands replay runs/20260102-101500_demo --mllm-url http://127.0.0.1:8000/v1 --role decide "
    "--out replies.jsonl. Exit codes: 0 every request was answered, 1 some were not, 2 bad input."
)


@options.with_settings("replay")
@options.reads_runs
def command(
    read_settings: options.ReadGiven,
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    mllm_url: Annotated[str, typer.Option("--mllm-url", help="The OpenAI-compatible server to ask, or rehearsed.")],
    dialect: Annotated[
        str | None,
        typer.Option("--dialect", help="Coordinate convention of that model. It must be the run's own, the default."),
    ] = None,
    max_pixels: Annotated[
        int | None,
        typer.Option("--max-pixels", min=1, help="That server's cap on a picture's pixels. Default: the run's."),
    ] = None,
    role: Annotated[list[Role] | None, options.role_option("Only this role's requests; repeatable.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="The first so many requests only.")] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, help="Send each request so often: does the server repeat itself?")
    ] = 1,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, max=1024, help="Requests at a time.")] = 8,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds for one request at most.")] = 180.0,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write each request's replies of then and now, as JSON lines.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Send a run's recorded requests to a model again and tell how its replies differ. Nothing is carried out."""
    from manyhands.actors.mllm import ModelSettings
    from manyhands.deploy.fleet.model_servers.resolution import check_servers, server_address
    from manyhands.deploy.replay import ReplaySettings, target_dialects

    if mllm_url != REHEARSED:
        server_address(mllm_url)
    folder = RunFolder(run)
    calls = _choose_calls(recorded_calls(folder), role or list(Role), limit)
    dialects = target_dialects(folder, calls, dialect, max_pixels)

    async def replay() -> int:
        async with _server(mllm_url, {"api_key_env": None, **read_settings()}) as (url, options_of_model):
            options_of_model["model"] = (await check_servers(ModelSettings(urls=(url,), **options_of_model))).model
            settings = ReplaySettings(
                url=url, **options_of_model, concurrency=concurrency, repeat=repeat, timeout_s=timeout
            )
            return await _replay(Job(folder, calls, dialects, settings), out, as_json)

    carry_out(replay, as_json)


@asynccontextmanager
async def _server(url: str, options_of_model: dict[str, Any]) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """Yield the address to ask and the settings for it. Serve the rehearsed model meanwhile if it is asked for."""
    from manyhands.deploy.stand_ins import rehearsed_server

    if url != REHEARSED:
        yield url, options_of_model
        return
    with tempfile.TemporaryDirectory(prefix="manyhands-") as logs:
        async with rehearsed_server(RehearsalOptions(), 0, Path(logs)) as model:
            # The rehearsed model has one name and no key, as in a run.
            yield model.ready["url"], {**options_of_model, "model": None, "api_key_env": None}


@dataclass(frozen=True, slots=True)
class Job:
    """Hold what is sent, and where; make the report."""

    folder: RunFolder
    calls: Sequence[RecordedCall]
    dialects: Mapping[Role, Dialect]
    settings: ReplaySettings

    def report(self, results: Sequence[Replayed]) -> ReplayReport:
        """Return the report of these results."""
        from manyhands.deploy.fleet.model_servers.resolution import REHEARSED_MODEL, REHEARSED_SOURCE
        from manyhands.evaluation.replay_report import ReplayReport, role_reports

        run_yaml, model = self.folder.asked, self.settings.model
        names = sorted({str(recorded.call.request.get("model")) for recorded in self.calls})
        return ReplayReport(
            run=run_yaml.get("run_id") or self.folder.path.name,
            recorded_model=", ".join(names),
            recorded_source=run_yaml.get("model_source") or "",
            server=self.settings.url,
            model=model,
            source=REHEARSED_SOURCE if model == REHEARSED_MODEL else "",
            dialect=", ".join(sorted({dialect.name for dialect in self.dialects.values()})),
            requests=len(self.calls),
            replayed=len(results),
            roles=role_reports(self.calls, results),
        )


class InOrder:
    """Collect results in the order of the run. Write each result as a line as soon as all results before it are there.

    Raises StoreError if a line cannot be written.
    """

    def __init__(self, lines: IO[str] | None) -> None:
        self._lines = lines
        self._found: dict[int, Replayed] = {}
        self._written = 0

    def add(self, result: Replayed) -> None:
        """Add a result in any order."""
        self._found[result.number] = result
        while self._written in self._found:
            self._write(self._written)
            self._written += 1

    def finish(self) -> list[Replayed]:
        """Write the results behind a gap too, and return all results in order."""
        for number in sorted(self._found):
            if number > self._written:
                self._write(number)
        return [self._found[number] for number in sorted(self._found)]

    def _write(self, number: int) -> None:
        if self._lines is not None:
            try:
                self._lines.write(self._found[number].model_dump_json() + "\n")
                self._lines.flush()
            except OSError as error:
                raise StoreError(f"--out {self._lines.name}: {error.strerror or error}") from error


async def _replay(job: Job, out: Path | None, as_json: bool) -> int:
    from manyhands.deploy.command_line.display import counting_bar
    from manyhands.deploy.replay import Replayer

    console = text_console(stderr=as_json)
    console.print(f"Sending {count_noun(len(job.calls), 'request')} to {job.settings.model} at {job.settings.url}")
    lines = _opened(out) if out is not None else None
    results = InOrder(lines)
    try:
        with counting_bar("requests", console, transient=True) as progress:
            task = progress.add_task("requests", total=len(job.calls))

            def take_result(result: Replayed) -> None:
                results.add(result)
                progress.advance(task)

            async with Replayer(job.settings, job.folder, job.dialects) as replayer:
                await replayer.replay(job.calls, take_result)
    finally:
        # Also after Ctrl-C, so that there is a report so far.
        report = job.report(results.finish())
        if lines is not None:
            lines.close()
        if as_json:
            say_json(report.model_dump(mode="json"))
        else:
            console.print(*_report_tables(report), sep="\n")
    answered = sum(role.answered for role in report.roles.values())
    return 0 if answered == report.requests else EXIT_FAILED


def _choose_calls(calls: Sequence[RecordedCall], roles: Sequence[Role], limit: int | None) -> tuple[RecordedCall, ...]:
    calls_of_roles = tuple(call for call in calls if call.role in roles)[:limit]
    if not calls_of_roles:
        raise BadInput(f"the run has no recorded request of {role_words(roles)}")
    return calls_of_roles


def _opened(path: Path) -> IO[str]:
    try:
        return secure_files.open_new_text(path)
    except FileExistsError:
        raise BadInput(f"--out {path}: is there already; name another file") from None
    except OSError as error:
        raise BadInput(f"--out {path}: {error.strerror or error}") from error
