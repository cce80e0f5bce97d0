"""Store what judges say of a run's episodes, and measure how far two judges agree beyond chance (Cohen's kappa, 1960).

Each judge has one file in ``judgements/`` of the run folder. A judge is a person or a model. Figures never mix what
different judges say (docs/judging.md). Steps are numbered from 0. Something without an entry was not judged.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import Field, StrictBool, StrictInt, ValidationError

from manyhands.evaluation.episodes import RecordedEpisode, episode_of
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.base import Input, Message
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.journals.records import StageRecord, StatementJudged
from manyhands.protocol.utilities import secure_files
from manyhands.protocol.utilities.yaml_document import YamlDocument, YamlProblem, find_problems

FOLDER = "judgements"
JudgeSource = Literal["person", "model"]
JudgementKind = Literal["success", "rubrics", "actions", "effects", "reflections", "operations", "statements"]
"""What is judged: the name of a field of ``EpisodeJudgement``."""
MODEL_JUDGE = "model-judge"
"""The name of the model that judges the checks of a run."""
KINDS: tuple[JudgementKind, ...] = get_args(JudgementKind)
JudgeName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$")]
"""A judge's name, which is also the name of the file."""
Number = Annotated[int, Field(ge=0)]


class EpisodeJudgement(Input):
    """Hold what a judge says of one episode."""

    success: StrictBool | None = None
    """Whether the task is done; None if that was not judged."""
    rubrics: dict[str, Annotated[StrictInt, Field(ge=0)] | None] = Field(default_factory=dict)
    """By the rubric's name: the step whose action fulfilled it; None if no step did."""
    actions: dict[Number, StrictBool] = Field(default_factory=dict)
    """By step: whether its decision was right."""
    effects: dict[Number, StrictBool] = Field(default_factory=dict)
    """By step with a wrong action: true if the action led to a wrong page, false if it changed nothing."""
    reflections: dict[Number, StrictBool] = Field(default_factory=dict)
    """By step: whether the verdict on its action was right."""
    operations: dict[Number, StrictBool] = Field(default_factory=dict)
    """By index in the task's list of human operations: whether the episode completed the operation."""
    statements: dict[str, StrictBool] = Field(default_factory=dict)
    """By statement of the task's check that a model was asked about: whether it is true."""


class Judgements(Input):
    """Hold all judgements of one judge about a run."""

    judge: JudgeName
    source: JudgeSource
    episodes: dict[str, EpisodeJudgement] = Field(default_factory=dict)
    """By the id of the episode."""


@dataclass(frozen=True, slots=True)
class Judgeable:
    """Hold what can be judged of one episode, apart from whether its task is done."""

    rubrics: tuple[str, ...]
    operations: tuple[str, ...]
    """The task's human operations. If only their number is known, each is called by its number."""
    steps: tuple[int, ...]
    actions: tuple[int, ...]
    """Steps with a decision, including decisions without an action."""
    effects: tuple[int, ...]
    """Steps with an action, which may have had an effect."""
    reflections: tuple[int, ...]
    """Steps whose action has a verdict."""
    statements: tuple[str, ...] = ()
    """Statements of the task's check that a model was asked about."""


def judgeable(episode: RecordedEpisode) -> Judgeable:
    """Return what can be judged of an episode."""
    task = episode.started.task
    return Judgeable(
        rubrics=tuple(rubric.name for rubric in task.rubrics),
        operations=task.human_operations or _counted_operations(task.human_count),
        steps=tuple(sorted({record.step for record in episode.records if isinstance(record, StageRecord)})),
        actions=tuple(sorted(episode.decisions)),
        effects=tuple(sorted(step for step, one in episode.decisions.items() if one.action is not None)),
        reflections=tuple(sorted(episode.verdicts)),
        statements=tuple(_judged_statements(episode)),
    )


def _counted_operations(count: int) -> tuple[str, ...]:
    return tuple(f"operation {number} of the {count} that a human needs" for number in range(1, count + 1))


def all_judgeable(run: RunFolder) -> dict[str, Judgeable]:
    """Return what can be judged of each episode, by its id, in the order of their starts."""
    episodes = {name: episode_of(scan.records) for name, scan in run.journals.items()}
    return {name: judgeable(episode) for name, episode in episodes.items() if episode is not None}


# ---------------------------------------------------------------------------- the files
def judgements_path(run: RunFolder, judge: str) -> Path:
    """Return the path of a judge's file, whether or not it exists."""
    return run.path / FOLDER / f"{judge}.json"


def read_all_judgements(run: RunFolder) -> tuple[Judgements, ...]:
    """Return the judgements of all judges, in the order of names. Raises BadInput, or BadFile for a broken file.

    The last judge is the model that judged the checks of the run, if one did. Its word is in the journals.
    """
    paths = sorted((run.path / FOLDER).glob("*.json"))
    judgeables = all_judgeable(run) if paths else {}
    by_file = tuple(read_judgements(path, judgeables) for path in paths)
    by_model = judgements_in_journals(run)
    if by_model is not None and any(one.judge == by_model.judge for one in by_file):
        where = judgements_path(run, MODEL_JUDGE)
        raise BadInput(f"{where}: this name belongs to the model that judged the checks: name the file otherwise")
    return by_file if by_model is None else (*by_file, by_model)


def judgements_in_journals(run: RunFolder) -> Judgements | None:
    """Return what the model said that judged the checks of the run; None if no model did.

    A task counts as judged if the judge's word decided its check. A statement of which the judge could not tell was not
    judged.
    """
    by_episode: dict[str, EpisodeJudgement] = {}
    for name, scan in run.journals.items():
        episode = episode_of(scan.records)
        if episode is None or not _judged_statements(episode):
            continue
        verdicts = {words: one.verdict for words, one in _judged_statements(episode).items()}
        ended = episode.ended
        by_episode[name] = EpisodeJudgement(
            success=ended.verified if ended is not None and ended.verified_by == "judge" else None,
            statements={words: verdict == "yes" for words, verdict in verdicts.items() if verdict in ("yes", "no")},
        )
    return Judgements(judge=MODEL_JUDGE, source="model", episodes=by_episode) if by_episode else None


def _judged_statements(episode: RecordedEpisode) -> dict[str, StatementJudged]:
    """Return what a model said of each statement in the check of an episode's task. The last word counts."""
    return {record.statement: record for record in episode.records if isinstance(record, StatementJudged)}


def read_judgements(path: Path, judgeables: Mapping[str, Judgeable]) -> Judgements:
    """Read one judge's file. ``known`` is what can be judged. Raises BadInput, or BadFile for a broken file.

    A judgement of something that cannot be judged, such as a step that the episode lacks, is a mistake.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from error
    repeated: list[str] = []
    try:
        data = json.loads(text, object_pairs_hook=lambda pairs: _once(pairs, repeated))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not JSON: {error}") from error
    document = YamlDocument(data, str(path))
    document.refuse([YamlProblem((), f"the key {key!r} stands twice in one object") for key in repeated])
    try:
        judgements = Judgements.model_validate(data)
    except ValidationError as error:
        document.refuse(find_problems(error, Judgements))
        raise
    mistakes = unknown(judgements, judgeables)
    if judgements.judge != path.stem:
        mistakes.insert(0, YamlProblem(("judge",), f"judge: {judgements.judge!r} is not the name of the file"))
    document.refuse(mistakes)
    return judgements


def unknown(judgements: Judgements, judgeables: Mapping[str, Judgeable]) -> list[YamlProblem]:
    """Return a mistake for each judgement of something that cannot be judged."""
    problems: list[YamlProblem] = []
    for episode, one in judgements.episodes.items():
        at = ("episodes", episode)
        if episode not in judgeables:
            problems.append(
                YamlProblem(at, f"episodes.{episode}: the run has no such episode; it has {_some(judgeables)}")
            )
            continue
        there = judgeables[episode]
        steps: dict[str, tuple[Iterable[int], Sequence[int], str]] = {
            "actions": (one.actions, there.actions, "has no decision in step"),
            "effects": (one.effects, there.effects, "has no action in step"),
            "reflections": (one.reflections, there.reflections, "has no verdict on step"),
            "operations": (one.operations, range(len(there.operations)), "has no human operation"),
        }
        for name, (judged_numbers, may, lacks) in steps.items():
            for number in judged_numbers:
                if number not in may:
                    mistake = (
                        f"episodes.{episode}.{name}.{number}: the episode {lacks} {number}; known are {_some(may)}"
                    )
                    problems.append(YamlProblem((*at, name, str(number)), mistake))
        for statement in one.statements:
            if statement not in there.statements:
                mistake = f"episodes.{episode}.statements: no model was asked {statement!r}"
                problems.append(YamlProblem((*at, "statements", statement), mistake))
        for rubric, step in one.rubrics.items():
            key = f"episodes.{episode}.rubrics.{rubric}"
            if rubric not in there.rubrics:
                mistake = f"{key}: the task has no such rubric; known are {_some(there.rubrics)}"
                problems.append(YamlProblem((*at, "rubrics", rubric), mistake))
            elif step is not None and step not in there.steps:
                mistake = f"{key}: the episode has no step {step}; known are {_some(there.steps)}"
                problems.append(YamlProblem((*at, "rubrics", rubric), mistake))
    return problems


def write_judgements(run: RunFolder, judgements: Judgements) -> Path:
    """Write a judge's file, replacing an earlier one, and return its path. Raises StoreError."""
    path = judgements_path(run, judgements.judge)
    try:
        secure_files.make_folder(path.parent)
        secure_files.replace_text(path, judgements.model_dump_json(indent=1) + "\n")
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error}") from error
    return path


def _once(pairs: Sequence[tuple[str, Any]], repeated: list[str]) -> dict[str, Any]:
    """Return a JSON object, and add the keys that stand in it twice to ``repeated``."""
    keys: dict[str, Any] = {}
    for key, value in pairs:
        if key in keys:
            repeated.append(key)
        keys[key] = value
    return keys


def _some(names: Iterable[object]) -> str:
    texts = [str(name) for name in names]
    return ", ".join(texts[:20]) + (f" and {len(texts) - 20} more" if len(texts) > 20 else "") or "none"


T = TypeVar("T")
Pair = tuple[bool, bool]


class JudgesAgreement(Message):
    """Hold how far two judges agree about things that both judged."""

    compared: int
    """How many things both judged."""
    same: int
    kappa: float | None
    """(observed - by chance) / (1 - by chance). None if nothing was compared, or chance alone explains everything."""
    reason: str = ""
    """Why there is no kappa."""


class JudgePair(Message):
    """Hold how far two judges agree. Each is a person or a model."""

    judges: tuple[str, str]
    sources: tuple[JudgeSource, JudgeSource]
    kinds: dict[JudgementKind, JudgesAgreement]


def compare_judges(judges: Sequence[Judgements]) -> tuple[JudgePair, ...]:
    """Return the agreement of every pair of judges, in order."""
    return tuple(
        JudgePair(
            judges=(first.judge, second.judge),
            sources=(first.source, second.source),
            kinds={kind: agreement(_pairs(kind, first, second)) for kind in KINDS},
        )
        for place, first in enumerate(judges)
        for second in judges[place + 1 :]
    )


def agreement(pairs: Sequence[Pair]) -> JudgesAgreement:
    """Return the agreement of two judges from their judgements of each thing."""
    same = sum(first == second for first, second in pairs)
    if not pairs:
        return JudgesAgreement(compared=0, same=0, kappa=None, reason="the two judged nothing in common")
    kappa = cohens_kappa(pairs)
    reason = "both said the same of everything, as chance alone would have it" if kappa is None else ""
    return JudgesAgreement(compared=len(pairs), same=same, kappa=kappa, reason=reason)


def cohens_kappa(pairs: Sequence[tuple[T, T]]) -> float | None:
    """Return (p_o - p_e) / (1 - p_e). None if p_e is 1, because both judges always gave one and the same judgement.

    p_o is the share of equal judgements. p_e is the share that is expected by chance: as if both judges guessed
    independently, and each gave every judgement as often as it really did.
    """
    count = len(pairs)
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    by_chance = sum(first[verdict] * second[verdict] for verdict in first)
    if by_chance == count * count:
        return None
    observed = sum(one == other for one, other in pairs)
    return (observed * count - by_chance) / (count * count - by_chance)


def _pairs(kind: JudgementKind, first: Judgements, second: Judgements) -> list[Pair]:
    """Return a pair of judgements for each thing that both judged. Of a rubric, compare whether it was fulfilled."""
    return [
        pair
        for episode, one in first.episodes.items()
        if (other := second.episodes.get(episode)) is not None
        for pair in _shared(_verdicts(kind, one), _verdicts(kind, other))
    ]


def _shared(one: Mapping[Any, bool], other: Mapping[Any, bool]) -> Iterator[Pair]:
    return ((verdict, other[what]) for what, verdict in one.items() if what in other)


def _verdicts(kind: JudgementKind, one: EpisodeJudgement) -> dict[Any, bool]:
    match kind:
        case "success":
            return {} if one.success is None else {"success": one.success}
        case "rubrics":
            return {name: step is not None for name, step in one.rubrics.items()}
        case "actions":
            return dict(one.actions)
        case "effects":
            return dict(one.effects)
        case "reflections":
            return dict(one.reflections)
        case "operations":
            return dict(one.operations)
        case "statements":
            return dict(one.statements)
