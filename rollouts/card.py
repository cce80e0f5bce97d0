"""Write the card of an export, ``README.md``: counts, filters, the command, hashes, sources and three rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from manyhands.actors.redaction.redactions import Redactions
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.terminal_text import count_noun
from manyhands.rollouts.plan import ExportPlan
from manyhands.rollouts.summary import ExportSummary, Sample

CARD = "README.md"
SAMPLES = "card"
_NAMED = 20
"""So many problems are named in the card; the command names all."""


def write_card(
    out: Path,
    plan: ExportPlan,
    summary: ExportSummary,
    command: str,
    samples: Sequence[Sample],
    picture_of: Callable[[Sample], bytes],
) -> None:
    """Write the card and the pictures of its rows. Raises OSError and StoreError."""
    if samples:
        secure_files.make_folder(out / SAMPLES)
    for number, sample in enumerate(samples, 1):
        secure_files.write_bytes(out / SAMPLES / f"{number}.jpg", picture_of(sample))
    secure_files.replace_text(out / CARD, "\n".join(_lines(plan, summary, command, samples)) + "\n")


def _lines(plan: ExportPlan, summary: ExportSummary, command: str, samples: Sequence[Sample]) -> Iterator[str]:
    yield from _configs(plan, summary)
    what = "rows" if summary.roles else "episodes"
    total = sum(summary.rows.values())
    yield f"# {total:,} {what} of phone agents, for {plan.format.reader}"
    yield ""
    yield "Made by Manyhands from journals, with:"
    yield ""
    yield f"    {plan.all_texts.strike(command)}"
    yield ""
    yield from _counts("Rows by split", summary.rows)
    yield from _counts("Rows by role", summary.roles)
    yield from _counts("Rows by model", summary.models)
    painted = summary.redacted.get("pictures", 0)
    sent = f"as they were sent but for {painted:,}" if painted else "as they were sent"
    yield f"{summary.pictures:,} pictures, {sent}. {summary.episodes:,} of {summary.read:,} episodes."
    if summary.system_texts:
        yield f"The rows have {count_noun(summary.system_texts, 'different system text')}."
    if plan.redactions is not None:
        yield from _redacted(plan.redactions, summary)
    yield f"SHA-256 over the hashes in `parts.jsonl`: `{summary.sha256}`."
    yield ""
    yield "## What was left out"
    yield ""
    yield f"Filters: `{plan.filters.model_dump_json(exclude_defaults=True)}`. Faults are no failures of the agent."
    yield ""
    # The reason of a user's function may quote the task.
    yield from _counts("Episodes", {plan.all_texts.strike(name): n for name, n in summary.episodes_left_out.items()})
    yield from _counts("Model calls", summary.rows_left_out)
    if summary.problems:
        yield f"**{count_noun(len(summary.problems), 'row')} that should be here could not be made:**"
        yield ""
        yield from (f"- {problem}" for problem in summary.problems[:_NAMED])
        yield ""
    if summary.damaged:
        named = ", ".join(map(plan.all_texts.strike, summary.damaged[:_NAMED]))
        yield f"{count_noun(len(summary.damaged), 'journal')} with damaged places: {named}."
        yield ""
    yield "## Sources"
    yield ""
    chosen = [one for part in plan.parts for one in part.episodes]
    for number, run in enumerate(plan.runs):
        run_yaml = run.asked
        profiles = sorted({one.facts.profile for one in chosen if one.run == number})
        parts = [str(run_yaml.get(key) or "") for key in ("phones_source", "model_source", "perception_source")]
        parts.insert(0, count_noun(sum(one.run == number for one in chosen), "episode"))
        parts.insert(1, f"profile {' and '.join(profiles)}" if profiles else "")
        yield plan.all_texts.strike(f"- `{run_yaml.get('run_id') or run.path.name}`: {'; '.join(filter(None, parts))}")
    yield ""
    yield "## Loading"
    yield ""
    yield from plan.format.notes(summary)
    if samples:
        yield ""
        yield f"## {'Three rows' if len(samples) == 3 else 'Rows'}"
    for number, sample in enumerate(samples, 1):
        yield ""
        place = "" if sample.row is None else f", step {sample.row.step}, {sample.row.role}"
        yield f"**{sample.episode.episode}{place}**: {' '.join(sample.episode.goal.split())}"
        yield ""
        yield f"![A picture of the row]({SAMPLES}/{number}.jpg)"
        yield ""
        yield from (f"    {line}" for line in sample.reply.splitlines())


def _redacted(redactions: Redactions, summary: ExportSummary) -> Iterator[str]:
    """Yield what was redacted, in numbers: the texts themselves stand nowhere."""
    named = [count_noun(len(redactions.texts), "text")] if redactions.texts else []
    named += [count_noun(len(redactions.regions), "region")] if redactions.regions else []
    named += [count_noun(len(redactions.apps), "app")] if redactions.apps else []
    named += ["what was typed"] if redactions.typed else []
    places, pictures = summary.redacted.get("texts", 0), summary.redacted.get("pictures", 0)
    yield f"Redacted: {', '.join(named) or 'nothing'}. Texts were struck at {count_noun(places, 'place')}, and"
    yield f"{count_noun(pictures, 'picture')} painted over in part or as a whole. These were encoded again, so they are"
    yield "not the bytes that were sent. Token ids are left out."


def _configs(plan: ExportPlan, summary: ExportSummary) -> Iterator[str]:
    """Yield the header by which `datasets.load_dataset` finds the splits."""
    if plan.format.ending in (".jsonl", ".parquet"):
        yield "---"
        yield "configs:"
        yield "- config_name: default"
        yield "  data_files:"
        for split in summary.rows:
            yield f"  - split: {split}"
            yield f"    path: {split}/*{plan.format.ending}"
        yield "---"


def _counts(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    if counts:
        named = ", ".join(f"{name or 'without a name'} {count:,}" for name, count in counts.items())
        yield f"{title}: {named}."
        yield ""
