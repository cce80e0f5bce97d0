"""``manyhands prompt-stats``: show where a run's input tokens went."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel, Field, ValidationError
from rich.console import Console, RenderableType
from rich.text import Text

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.settings.models import REHEARSED
from manyhands.evaluation.recorded_calls import RecordedCall, recorded_calls, recorded_dialect
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.runs.run_summary import Percentiles
from manyhands.protocol.utilities.terminal_text import count_noun

if TYPE_CHECKING:
    from manyhands.actors.mllm import ModelSettings
    from manyhands.actors.mllm.client.transport import Transport
    from manyhands.evaluation.prompt_stats import PromptStats, RoleStats, StepStats

CONCURRENCY = 8
TIMEOUT_S = 60.0


class _Counted(BaseModel):
    count: int = Field(ge=0)


async def count_tokens(
    settings: ModelSettings, model: str, texts: Iterable[str], counted: Callable[[], None]
) -> dict[str, int]:
    """Return the number of tokens of each text, without tokens that a chat template would add.

    ``counted`` is called after each text. The first server of ``settings`` is asked, at /tokenize beside its /v1.
    Raises BadInput if this server does not offer /tokenize.
    """
    from manyhands.actors.mllm.client.transport import Transport

    waiting = iter(dict.fromkeys(texts))
    counts: dict[str, int] = {}
    (url, *_) = settings.urls
    transport = Transport(settings)
    transport.open()

    async def work() -> None:
        for text in waiting:
            counts[text] = await _count(transport, url, {"model": model, "prompt": text, "add_special_tokens": False})
            counted()

    try:
        async with asyncio.TaskGroup() as workers:
            for _ in range(CONCURRENCY):
                workers.create_task(work())
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    finally:
        await transport.close()
    return counts


async def _count(transport: Transport, url: str, body: dict[str, Any]) -> int:
    from manyhands.actors.mllm.client.errors import RequestFailed

    try:
        answer = await transport.post_beside(url, "/tokenize", body, TIMEOUT_S)
    except RequestFailed as error:
        raise BadInput(f"--mllm-url: exact tokens need a server with /tokenize, as vLLM: {error}") from None
    try:
        return _Counted.model_validate_json(answer).count
    except ValidationError:
        raise BadInput(f"--mllm-url: {url}: /tokenize answered something that is no count of tokens") from None


EXAMPLE = (
    "Example: manyhands prompt-stats runs/20260102-101500_demo. With --mllm-url http://127.0.0.1:8000/v1 the tokens "
    "of each section are counted by that server (vLLM), not estimated."
)
BAR = 40
"""Characters of the longest bar."""
_EIGHTHS = " ▏▎▍▌▋▊▉"


@options.with_settings("prompt-stats")
@options.reads_runs
def command(
    read_settings: options.ReadGiven,
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    mllm_url: Annotated[
        str | None, typer.Option("--mllm-url", help="A vLLM server of the run's model, to count tokens exactly.")
    ] = None,
    max_pixels: Annotated[
        int | None,
        typer.Option(
            "--max-pixels", min=1, help="The cap on a picture's pixels at the run's server. Default: as recorded."
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Tell where a run's input tokens went: by role and section, pictures, cached share, by step."""
    from manyhands.actors.mllm import ModelSettings
    from manyhands.deploy.fleet.model_servers.resolution import server_address
    from manyhands.deploy.replay import recorded_dialects
    from manyhands.evaluation.prompt_stats import prompt_stats

    if mllm_url == REHEARSED:
        raise BadInput("--mllm-url rehearsed: the stand-in counts no tokens; name a vLLM server, or leave it out")
    if mllm_url is not None:
        server_address(mllm_url)
    folder = RunFolder(run)
    source = str(folder.asked.get("model_source") or "")
    calls = recorded_calls(folder)
    if not calls:
        raise BadInput(f"{run}: its journals hold no model call")
    dialects = recorded_dialects(folder, calls, max_pixels=max_pixels)

    async def measure() -> int:
        counts = None
        console = text_console(stderr=as_json)
        if mllm_url is not None:
            counts = await _counts(console, ModelSettings(urls=(mllm_url,), **read_settings()), calls)
        stats = prompt_stats(calls, lambda role, size: dialects[role].image_tokens(size), counts)
        caps = {role: max_pixels or recorded_dialect(folder, role)[1] for role in dialects}
        if as_json:
            named = {role.value: cap for role, cap in caps.items()}
            say_json({"model_source": source, "max_pixels": named, **stats.model_dump(mode="json")})
        else:
            for part in _parts(stats, source):
                console.print(part)
            for line in _compared(stats, frozenset(caps.values())):
                console.print(line)
        return 0

    carry_out(measure, as_json)


async def _counts(console: Console, settings: ModelSettings, calls: Sequence[RecordedCall]) -> dict[str, int]:
    from manyhands.deploy.command_line.display import counting_bar
    from manyhands.deploy.fleet.model_servers.resolution import check_servers
    from manyhands.evaluation.prompt_stats import texts_of

    name = (await check_servers(settings)).model or ""
    texts = texts_of(calls)
    console.print(f"Counting {count_noun(len(texts), 'text')} with the tokenizer of {name} at {settings.urls[0]}")
    with counting_bar("texts", console, transient=True) as progress:
        task = progress.add_task("texts", total=len(texts))
        return await count_tokens(settings, name, texts, lambda: progress.advance(task))


def _parts(stats: PromptStats, source: str) -> Iterator[RenderableType]:
    """Yield what is printed, from top to bottom, at most 100 columns wide."""
    if source:
        yield Text(f"model of the run: {source}", style="dim")
    yield Text(
        "Tokens of sections: counted by the server's tokenizer; a chat template's own are in none of them."
        if stats.method == "exact"
        else "Tokens of sections: estimated. The server's figure less the pictures', shared out by characters."
    )
    largest = max((part.tokens for role in stats.roles.values() for part in role.sections.values()), default=0.0)
    for name, role in stats.roles.items():
        yield Text(f"\n{name}: {_describe(role)}", style="bold")
        yield _bars(role, largest)
    if stats.cached_share is not None:
        yield Text(f"\nof all input tokens, {stats.cached_share:.0%} were cached")
    yield Text("\nInput tokens by step", style="bold")
    yield _step_table(stats)


def _describe(role: RoleStats) -> str:
    cached = "none reported" if role.cached_share is None else f"{role.cached_share:.0%} cached"
    unreported = f", {role.unreported} without a count" if role.unreported else ""
    return (
        f"{count_noun(role.calls, 'call')}{unreported}, {role.images:.1f} pictures and "
        f"{role.input_tokens:,.0f} tokens a call, {cached}"
    )


def _bars(role: RoleStats, largest: float) -> RenderableType:
    rows = [
        (name, f"{part.tokens:>7,.0f}", f"{part.share:>4.0%}", _bar(part.tokens / largest))
        for name, part in role.sections.items()
    ]
    return table(None, (f"{'section':<24}", " tokens", "share", ""), rows)


def _bar(share: float) -> str:
    """Draw a bar whose length is a share of the longest bar, in eighths of a character, at least one eighth."""
    whole, part = divmod(max(1, round(BAR * 8 * share)), 8)
    return "█" * whole + _EIGHTHS[part].strip()


def _step_table(stats: PromptStats) -> RenderableType:
    rows = []
    for label, steps in (("all with a decision", stats.steps), ("successful", stats.successful_steps)):
        rows += _step_rows(label, steps)
    return table(None, ("steps", "number", "of a step", "mean", "p50", "p95"), rows)


def _step_rows(label: str, steps: StepStats) -> list[tuple[str, ...]]:
    figures = (
        ("pictures", steps.images, ".1f"),
        ("input tokens", steps.input_tokens, ",.0f"),
        ("not cached", steps.uncached_tokens, ",.0f"),
    )
    return [
        (label if row == 0 else "", str(steps.steps) if row == 0 else "", what, *_figures(spread, form))
        for row, (what, spread, form) in enumerate(figures)
    ]


def _figures(spread: Percentiles | None, form: str) -> tuple[str, str, str]:
    if spread is None:
        return "-", "-", "-"
    return format(spread.mean, form), format(spread.p50, form), format(spread.p95, form)


def _compared(stats: PromptStats, caps: Collection[int | None]) -> Iterator[RenderableType]:
    """Yield lines that compare the figures with the target and Mobile-Agent-E.

    ``caps``: the caps on a picture's pixels; None stands for the model family's own cap.
    """
    named = ", ".join(sorted("the family's own" if cap is None else f"{cap:,}" for cap in caps))
    yield Text(f"\npixel cap: {named}")
    if stats.uncached_per_step is not None:
        met = "met" if stats.uncached_per_step <= stats.target_uncached else "missed"
        yield Text(
            f"not cached, all calls by steps with a decision: {stats.uncached_per_step:,.0f}; "
            f"target {stats.target_uncached:,}: {met}"
        )
    whole = stats.successful_steps
    if whole.input_tokens is not None and whole.images is not None:
        yield Text(
            f"a successful step: {whole.input_tokens.mean:,.0f} tokens, {whole.images.mean:.1f} pictures; "
            f"Mobile-Agent-E about {stats.paper_input:,} and {stats.paper_images}\n"
            "(its reference prompts, estimated: about 9,500 tokens of text, 5 pictures at GPT-4o's 1,445)"
        )
