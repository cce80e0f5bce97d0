"""The figures of ``manyhands bench verdicts``: cheap verdicts against what was true on virtual phones.

A virtual phone's ledger has, for each line of input, what was true before and after it (``simulator.ledger``); what the
line set going and showed later is in what was true before the next line. All from run folders alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from pydantic import Field, ValidationError

from evaluation.run_folder import RunFolder
from protocol.actions import Action, OpenApp, Type
from protocol.base import Message, Outcome
from protocol.errors import BadInput, StoreError
from protocol.messages import Reflection
from protocol.records import ActionReceived, ActionSent, Decided, EpisodeStarted, Record, Reflected
from protocol.runs import CHEAP_VERDICTS

OWN_PERCEPTION = "real OCR"


class Moment(Message):
    """What was true on a phone. ``called``: the names of the app in front; ``field``: the focused field's text."""

    app: str
    called: tuple[str, ...]
    field: str | None
    screen: str
    """A digest of what is drawn, without status bar and caret."""
    state: str
    """A digest of all data of the phone."""


class Line(Message):
    """A line of input that reached a phone; without moments where the phone tells none."""

    key: str | None
    before: Moment | None = None
    after: Moment | None = None


class _Ledger(Message):
    serial: str
    rows: tuple[Line, ...]


class Wrong(Message):
    """A verdict that is not what was true."""

    run: str
    episode: str
    step: int
    check: str
    outcome: Outcome
    why: str


class CheckFigures(Message):
    verdicts: int = 0
    outcomes: dict[str, int] = Field(default_factory=dict)
    compared: int = 0
    """Those for which the phone's ledger tells what was true."""
    wrong: int = 0
    at_most: float | None = None
    """The share of wrong ones is below this with 95 % confidence (Clopper and Pearson 1934, one-sided)."""


class VerdictFigures(Message):
    runs: int
    judged: int
    """Steps with a verdict."""
    by_model: int
    by_rule: dict[str, int]
    """All verdicts made without the model, also those that need no rule of ours: ``failed``, ``answered``."""
    checks: dict[str, CheckFigures]
    saved_share: float
    """Share of the steps with a verdict that needed no model because of a rule that can be turned off."""
    saved_calls: int
    """Calls of the reflector that these would have been: the mean of a model's verdict, repairs included."""
    saved_tokens: int
    """Input tokens of such calls, by the mean of those that were made."""
    saved_s: float
    """Seconds of such calls, by the mean of those that were made. With a stand-in as the model: its seconds."""
    wrong: tuple[Wrong, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A step with its verdict, and what the phone's ledger has of it."""

    run: str
    episode: str
    step: int
    action: Action | None
    opens: str | None
    """The package that was to come to the front, as the receipt says."""
    record: Reflected
    lines: tuple[Line, ...]
    later: Moment | None
    """What was true before the next step's action; None where the next step sent none."""

    @property
    def reflection(self) -> Reflection:
        return self.record.reflection

    @property
    def moments(self) -> tuple[Moment, Moment] | None:
        """What was true before and after the action; None where the ledger does not tell both."""
        before, after = (self.lines[0].before, self.lines[-1].after) if self.lines else (None, None)
        return None if before is None or after is None else (before, after)


def verdict_figures(folders: Sequence[Path]) -> VerdictFigures:
    """The figures of runs on virtual phones. Raises BadInput for what is no run folder or has no verdict."""
    steps = [step for folder in folders for step in judged_steps(folder)]
    if not steps:
        raise BadInput(f"{', '.join(map(str, folders))}: no step has a verdict")
    asked = [step for step in steps if step.reflection.made_by == "model"]
    ruled = [step for step in steps if step.reflection.made_by == "check"]
    cheap = [step for step in ruled if step.reflection.check in CHEAP_VERDICTS]
    wrong = {id(step): why for step in cheap if (why := contradiction(step))}
    calls = [step.record.calls for step in asked if step.record.calls]
    return VerdictFigures(
        runs=len(folders),
        judged=len(steps),
        by_model=len(asked),
        by_rule=_counts(step.reflection.check or "" for step in ruled),
        checks={
            name: _check([step for step in cheap if step.reflection.check == name], wrong) for name in CHEAP_VERDICTS
        },
        saved_share=len(cheap) / len(steps),
        saved_calls=round(len(cheap) * mean(map(len, calls))) if calls else 0,
        saved_tokens=round(len(cheap) * mean(sum(one.usage.input_tokens for one in made) for made in calls))
        if calls
        else 0,
        saved_s=len(cheap) * mean(step.record.span.ms for step in asked) / 1000 if asked else 0.0,
        wrong=tuple(
            Wrong(
                run=step.run,
                episode=step.episode,
                step=step.step,
                check=step.reflection.check or "",
                outcome=step.reflection.outcome,
                why=wrong[id(step)],
            )
            for step in cheap
            if id(step) in wrong
        ),
    )


def _check(steps: Sequence[Judged], wrong: Mapping[int, str]) -> CheckFigures:
    compared = [step for step in steps if step.moments]
    failed = sum(1 for step in compared if id(step) in wrong)
    return CheckFigures(
        verdicts=len(steps),
        outcomes=_counts(step.reflection.outcome.value for step in steps),
        compared=len(compared),
        wrong=failed,
        at_most=upper_bound(failed, len(compared)) if compared else None,
    )


def _counts(names: Iterable[str]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for name in sorted(names):
        counted[name] = counted.get(name, 0) + 1
    return counted


def sources_of(folders: Sequence[Path]) -> dict[str, str]:
    """What answered as the model, what the phones were and what read the screens, as the run folders say.

    A run names its perception only if that was not our own; one without a model read no screens. Raises BadInput,
    StoreError.
    """
    told: dict[str, dict[str, None]] = {}
    for folder in folders:
        asked = RunFolder(folder).asked
        model = asked.get("model_source")
        found = {
            "model": model,
            "phones": asked.get("phones_source"),
            "perception": asked.get("perception_source") or (OWN_PERCEPTION if model else None),
        }
        for what, source in found.items():
            if source:
                told.setdefault(what, {})[source] = None
    return {what: "; ".join(sources) for what, sources in told.items()}


# ---------------------------------------------------------------------------- what was true
def contradiction(step: Judged) -> str | None:
    """Why a verdict by a rule is not what was true; None where it is, or where the ledger says nothing."""
    if step.moments is None:
        return None
    before, after = step.moments
    if step.reflection.check == "typed_text" and isinstance(step.action, Type):
        return _not_typed(step.action, step.reflection.outcome, before, after)
    if step.reflection.check == "app_in_front":
        return _not_in_front(step, [after, *([step.later] if step.later else [])])
    if step.reflection.outcome is not Outcome.C:
        return f"a screen that does not change is no outcome {step.reflection.outcome.value}"
    if before.screen != after.screen or before.state != after.state:
        return "the action changed the screen or the phone's data"
    if step.later is not None and (before.screen != step.later.screen or before.state != step.later.state):
        return "the screen or the phone's data changed later, before the next action"
    return None


def _not_typed(action: Type, outcome: Outcome, before: Moment, after: Moment) -> str | None:
    had, has = before.field or "", after.field or ""
    wanted = action.text if action.clear else had + action.text
    if outcome is Outcome.C:
        return None if had == has else "the field's text has changed"
    if after.field is None:
        return "no field has the focus"
    if has in (wanted, wanted.replace("\n", " ")):  # a field of one line shows a line break as a blank
        return None
    return "the field holds another text"


def _not_in_front(step: Judged, moments: Sequence[Moment]) -> str | None:
    for moment in moments:
        if moment.app != step.opens:
            return f"{moment.app} was in front"
        if isinstance(step.action, OpenApp) and step.action.app.casefold() not in map(str.casefold, moment.called):
            return f"the app in front is called {moment.called[0]}"
    return None


def upper_bound(wrong: int, compared: int, confidence: float = 0.95) -> float:
    """The share of wrong ones above which so few would be seen in fewer than 5 % of samples of this size."""
    low, high = 0.0, 1.0
    for _ in range(50):
        share = (low + high) / 2
        low, high = (low, share) if _at_most(wrong, compared, share) < 1 - confidence else (share, high)
    return high


def _at_most(wrong: int, compared: int, share: float) -> float:
    """The probability of at most so many wrong ones where each is wrong with this probability."""
    chance, total = (1 - share) ** compared, 0.0
    for count in range(wrong + 1):
        total += chance
        chance *= (compared - count) / (count + 1) * (share / (1 - share)) if share < 1 else 0.0
    return total


# ---------------------------------------------------------------------------- reading
def judged_steps(folder: Path) -> Iterator[Judged]:
    """The steps of a run that have a verdict. Raises BadInput, StoreError."""
    run = RunFolder(folder)
    ledgers = dict(_read_ledger(path) for path in sorted((folder / "ledgers").glob("*.json")))
    for episode, scan in run.journals.items():
        serial = next((record.serial for record in scan.records if isinstance(record, EpisodeStarted)), "")
        yield from _of_episode(folder.name, episode, scan.records, ledgers.get(serial, ()))


def _read_ledger(path: Path) -> tuple[str, tuple[Line, ...]]:
    try:
        ledger = _Ledger.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise StoreError(f"{path} is no ledger of a virtual phone that tells what was true: {error}") from error
    return ledger.serial, ledger.rows


def _of_episode(run: str, episode: str, records: Sequence[Record], ledger: Sequence[Line]) -> Iterator[Judged]:
    lines = {line.key: line for line in ledger}
    keys: dict[int, list[str]] = {}
    actions: dict[int, Action | None] = {}
    opens: dict[int, str | None] = {}
    for record in records:
        if isinstance(record, ActionSent):
            keys.setdefault(record.step, []).append(record.key)
        elif isinstance(record, Decided):
            actions[record.step] = record.decision.action
        elif isinstance(record, ActionReceived):
            opens[record.step] = record.receipt.opens
    for record in records:
        if not isinstance(record, Reflected):
            continue
        own, following = (
            tuple(lines[key] for key in keys.get(step, ()) if key in lines) for step in (record.step, record.step + 1)
        )
        yield Judged(
            run=run,
            episode=episode,
            step=record.step,
            action=actions.get(record.step),
            opens=opens.get(record.step),
            record=record,
            lines=own,
            later=following[0].before if following else None,
        )
