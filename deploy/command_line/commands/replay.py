"""``manyhands replay``: send a run's recorded requests to another server or model."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_FAILED, carry_out, say_json, text_console
from manyhands.deploy.settings.models import REHEARSED, RehearsalOptions
from manyhands.evaluation.recorded_calls import RecordedCall, recorded_calls
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.roles.role import Role, role_words
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.actors.mllm import Dialect
    from manyhands.deploy.replay.replay import ReplaySettings
    from manyhands.evaluation.replay_report import Replayed, ReplayReport

EXAMPLE = (
    "Example: manyhands replay runs/20260102-101500_demo --mllm-url http://127.0.0.1:8000/v1 --role decide "
    "--out replies.jsonl. Exit codes: 0 every request was answered, 1 some were not, 2 bad input."
)


@options.with_settings("replay")
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
    from manyhands.deploy.replay.readings import target_dialects
    from manyhands.deploy.replay.replay import ReplaySettings

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
    from manyhands.deploy.stand_ins.sidecars import rehearsed_server

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
    from manyhands.deploy.replay.replay import Replayer
    from manyhands.deploy.replay.tables import report_tables

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
            console.print(*report_tables(report), sep="\n")
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
