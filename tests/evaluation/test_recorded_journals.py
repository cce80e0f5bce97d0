"""Journals of before records named their stages: the same figures as then, from the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

from manyhands.actors.episode.state import EpisodeState, fold
from manyhands.evaluation.episode_view import view_episode
from manyhands.evaluation.episodes import episodes_of
from manyhands.evaluation.summary import summary_of
from manyhands.protocol.journals.journal import scan
from manyhands.protocol.journals.records import STAGES_OF_E, EpisodeStarted, Record, StageDropped, StageRecord

FOLDER = Path(__file__).parent / "journals"


def records_of(name: str) -> tuple[Record, ...]:
    found = scan((FOLDER / f"{name}.journal").read_bytes())
    assert found.damage == ()
    return found.records


JOURNALS = {name: records_of(name) for name in ("speculate", "serial")}


def test_the_figures_are_those_of_then() -> None:
    then = json.loads((FOLDER / "summary.json").read_text(encoding="utf-8"))
    now = summary_of({}, list(JOURNALS.values())).model_dump(mode="json")
    now["model"] = {role: now["model"][role] for role in then["model"]}  # roles declared since were not asked
    now["by_task"] = [  # what rows tell since then
        {name: row[name] for name in old} for row, old in zip(now["by_task"], then["by_task"], strict=True)
    ]
    assert {name: now[name] for name in then} == then
    assert list(now["stage_ms"]) == list(then["stage_ms"])
    assert then["speculation"]["kept"]


def test_stages_have_the_names_and_assumptions_that_they_had() -> None:
    started = [record for records in JOURNALS.values() for record in records if isinstance(record, EpisodeStarted)]
    assert [record.stages for record in started] == [STAGES_OF_E, STAGES_OF_E]
    assert [record.settings["letter"] for record in started] == [False, True]
    stages = [record for record in JOURNALS["speculate"] if isinstance(record, StageRecord)]
    assert {record.stage for record in stages} == set(STAGES_OF_E)
    assert {name for record in stages if isinstance(record, StageDropped) for name in record.assumed} >= {
        "verify",
        "plan",
    }


def test_they_fold_and_are_reported() -> None:
    for records in JOURNALS.values():
        state = EpisodeState()
        for record in records:
            state = fold(state, record)
        (episode,) = episodes_of([records])
        story = view_episode(episode)
        assert (story.ended, state.ended) == (records[-1], records[-1])
        assert story.steps[0].times_ms.keys() == set(STAGES_OF_E)
