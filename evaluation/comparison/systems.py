"""Group runs that are seeds of one system, and name the systems."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyhands.evaluation.metrics.score import RunScore, score_folder
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput
from manyhands.protocol.profiles import registered_profiles
from manyhands.protocol.roles.role import Role
from manyhands.protocol.runs.episode_settings import EpisodeSettings
from manyhands.protocol.utilities.terminal_text import count_noun

SEED = "seed"
MADE_OF = ("episode", "output", "grammar", "temperature", "dialect", "max_pixels", "speculation", "perception")
"""Settings of a run that influence the run's course, apart from the settings of stand-ins."""
STAND_INS = ("rehearsal", "virtual")
_NO_PART_OF_A_MODEL = (SEED, "urls", "model")
"""The address of a role's model and its seed do not distinguish systems. The models' names are compared separately."""
_NO_PART_OF_A_TASK = ("reset_seed", "tags")
LEARNERS = {Role.LEARN_TIPS.value, Role.LEARN_SHORTCUTS.value}
BESIDE_PAPER_EXACT = ("episode.paper_exact", "episode.schedule", "episode.without")
"""Settings of an episode that ``paper_exact`` leaves open."""


def _departures() -> tuple[str, ...]:
    """Return the settings by which a run counts as another system than its bare profile.

    A system's name always contains these settings, even if no other system of the profile is compared.
    """
    variants = (f"episode.{setting}" for setting in registered_profiles().variants)
    return ("episode.paper_exact", *variants, "episode.without")


@dataclass(frozen=True)
class System:
    """Hold runs that differ only in their seeds."""

    name: str
    runs: Sequence[RunScore]


@dataclass(frozen=True)
class Entry:
    """Hold a run to compare. ``name`` is the system's name if the user gave one."""

    folder: Path
    name: str | None = None


def systems_of(entries: Sequence[Entry], only: Sequence[str] = ()) -> list[System]:
    """Score the runs and group them by system, in the order given. ``only``: the tasks to score (``score_folder``).

    Raises BadInput for a folder that is no run folder, a folder given twice, a broken judgement, or an unknown task.
    """
    folders = [entry.folder.resolve() for entry in entries]
    twice = next((entry.folder for entry in entries if folders.count(entry.folder.resolve()) > 1), None)
    if twice is not None:
        raise BadInput(f"{twice}: is given twice; a run counts once")
    identities = [identity(RunFolder(entry.folder).asked) for entry in entries]
    names = _profile_names(entries, identities)
    runs: dict[str, list[RunScore]] = defaultdict(list)
    for entry, name in zip(entries, names, strict=True):
        runs[name].append(score_folder(entry.folder, only))
    return [System(name, scores) for name, scores in runs.items()]


def identity(run_yaml: Mapping[str, Any]) -> dict[str, str]:
    """Return, by dotted names, all but seeds that decides a run's course. ``asked``: the content of run.yaml."""
    settings = run_yaml.get("settings") or {}
    parts: dict[str, Any] = {name: settings.get(name) for name in (*MADE_OF, *STAND_INS)}
    models = run_yaml.get("models") or {}
    decides = models.get(Role.DECIDE.value) or {}
    parts["output"] = settings.get("output") or decides.get("output") or "json"
    parts["system_prompt"] = decides.get("system_prompt_sha256")
    parts["models"] = {
        role: {name: value for name, value in (model or {}).items() if name not in _NO_PART_OF_A_MODEL}
        for role, model in (settings.get("models") or {}).items()
    }
    parts["memory"] = _digest(run_yaml.get("memory"))
    parts["model"] = sorted({str(model.get("model")) for model in models.values()})
    if LEARNERS & models.keys():  # without learners these settings have no effect
        parts["memory_tokens"] = settings.get("memory_tokens")
        parts["shares_its_memory"] = settings.get("memory") is not None
    parts["profile"] = run_yaml.get("profile")
    parts["repeats_what_failed"] = run_yaml.get("repeated") is not None
    tasks = run_yaml.get("tasks") or ()
    parts["tasks"] = sorted(
        json.dumps({name: value for name, value in task.items() if name not in _NO_PART_OF_A_TASK}, sort_keys=True)
        for task in tasks
    )
    return dict(_flat(parts, ""))


def _digest(value: Any) -> str | None:
    """Return a short digest of what tasks know from the start; None if they know nothing."""
    if not value:
        return None
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=3).hexdigest()


def _flat(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key != SEED:
                yield from _flat(item, f"{name}.{key}" if name else str(key))
    else:
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _profile_names(entries: Sequence[Entry], identities: Sequence[Mapping[str, str]]) -> list[str]:
    """Return each run's system: the given name, or the profile and the settings in which the runs differ."""
    unnamed = [one for entry, one in zip(entries, identities, strict=True) if entry.name is None]
    names: dict[str, Mapping[str, str]] = {}
    used_names = []
    for entry, one in zip(entries, identities, strict=True):
        name = entry.name
        if name is None:
            rivals = [rival for rival in unnamed if rival.get("episode.profile") == one.get("episode.profile")]
            name = _describe_system(one, rivals)
            if names.setdefault(name, one) != one:  # other tasks, for example, which a name cannot express
                name = f"{name} ({entry.folder.resolve().name})"
        used_names.append(name)
    return used_names


def _describe_system(one: Mapping[str, str], rivals: Sequence[Mapping[str, str]]) -> str:
    """Return a system's name: profile, settings of ``_departures``, and what rivals have otherwise. Omit defaults."""
    usual = dict(_flat(EpisodeSettings().model_dump(mode="json"), "episode"))
    words = [one.get("episode.profile") or one.get("profile") or "?"]
    for key in sorted({key for rival in rivals for key in rival} - {"tasks", "profile"}):
        if one.get("episode.paper_exact") == "true" and key.startswith("episode.") and key not in BESIDE_PAPER_EXACT:
            continue
        differs = key in _departures() or len({rival.get(key) for rival in rivals}) > 1
        if (
            differs
            and one.get(key) != usual.get(key)
            and (phrase := _describe_setting(key.rpartition(".")[2], one.get(key)))
        ):
            words.append(phrase)
    tasks = {rival.get("tasks") for rival in rivals}
    if len(tasks) > 1:
        words.append(count_noun(len(json.loads(one["tasks"])), "task"))
    return ", ".join(words)


def _describe_setting(key: str, value: str | None) -> str:
    """Return a setting in plain words; '' for a setting that is off or empty."""
    words = key.replace("_", " ")
    if value in (None, "false", "null", "[]", ""):
        return ""
    if value == "true":
        return words
    assert value is not None
    if value.startswith("["):
        value = ", ".join(map(str, json.loads(value)))
    return f"{words} {value}"
