"""Cheap verdicts against ledgers that were written by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from deploy.cli import app
from evaluation.bench.verdicts import sources_of, upper_bound, verdict_figures
from protocol.actions import Action, Atom, Home, OpenApp, Tap, Type
from protocol.base import Outcome, Role
from protocol.errors import BadInput, StoreError
from protocol.messages import Decision, Reflection
from protocol.phones import Receipt
from protocol.records import ActionReceived, Decided, Record, Reflected
from protocol.tasks import TaskSpec
from tests.evaluation.run_records import call, reflected, sent, span, started, write_run

TASK = TaskSpec(id="a", goal="g")
SHOP, HOME = "org.example.shop", "org.example.home"


def moment(**told: Any) -> dict[str, Any]:
    return {
        "app": SHOP,
        "called": ["Shop", "商店"],
        "field": None,
        "keyboard": True,
        "screen": "s",
        "state": "d",
        **told,
    }


def step(
    number: int, action: Action, check: str, outcome: Outcome, opens: str | None = None, sends: Atom | None = None
) -> list[Record]:
    """A step that was judged by a rule; its action bears the key of its number."""
    key = f"k{number}"
    told = Receipt(key=key, status="done", sent_at=1, ms=1, opens=opens)
    verdict = Reflection(outcome=outcome, error="", progress="", made_by="check", check=check)
    return [
        Decided(step=number, span=span(0, 1), decision=Decision(thought="", action=action, expectation="")),
        sent(number, key, action=sends or Home()),
        ActionReceived(step=number, receipt=told),
        Reflected(step=number, span=span(1, 1), reflection=verdict),
    ]


def line(number: int, before: dict[str, Any], after: dict[str, Any] | None) -> dict[str, Any]:
    return {"seq": number, "at": 1.0, "key": f"k{number}", "line": "input tap 1 1", "before": before, "after": after}


def run_with(
    folder: Path, records: list[Record], *lines: dict[str, Any], asked: Mapping[str, Any] | None = None
) -> Path:
    (folder / "ledgers").mkdir(parents=True)
    write_run(folder, asked or {}, {"e": [started("e", TASK), *records]})
    (folder / "ledgers" / "p.json").write_text(json.dumps({"serial": "p", "rows": lines}))
    return folder


def why(tmp_path: Path, records: list[Record], *lines: dict[str, Any]) -> list[str]:
    return [wrong.why for wrong in verdict_figures([run_with(tmp_path / "run", records, *lines)]).wrong]


TAP = Tap(x=1, y=1)
C, A = Outcome.C, Outcome.A


@pytest.mark.parametrize(
    ("records", "before", "after", "says"),
    [
        (step(0, TAP, "unchanged", C), moment(), moment(), None),
        (step(0, TAP, "unchanged", C), moment(), moment(screen="t"), "changed the screen"),
        (step(0, TAP, "unchanged", C), moment(), moment(state="e"), "changed the screen or the phone's data"),
        (step(0, OpenApp(app="shop"), "app_in_front", A, SHOP), moment(app=HOME), moment(), None),
        (step(0, OpenApp(app="商店"), "app_in_front", A, SHOP), moment(app=HOME), moment(), None),
        (step(0, OpenApp(app="Shopping"), "app_in_front", A, SHOP), moment(app=HOME), moment(), "is called Shop"),
        (step(0, Home(), "app_in_front", A, HOME), moment(), moment(), f"{SHOP} was in front"),
        (step(0, Type(text="ab"), "typed_text", A), moment(field="x"), moment(field="xab"), None),
        (step(0, Type(text="a\nb"), "typed_text", A), moment(field=""), moment(field="a b"), None),
        (step(0, Type(text="ab", clear=True), "typed_text", A), moment(field="x"), moment(field="ab"), None),
        (step(0, Type(text="ab"), "typed_text", A), moment(field="x"), moment(field="xba"), "another text"),
        (step(0, Type(text="ab"), "typed_text", A), moment(field="x"), moment(), "no field"),
        (step(0, Type(text="ab"), "typed_text", C), moment(field="x"), moment(field="x"), None),
        (step(0, Type(text="ab"), "typed_text", C), moment(field="x"), moment(field="xab"), "has changed"),
    ],
)
def test_a_verdict_is_held_against_what_was_true(
    tmp_path: Path, records: list[Record], before: dict[str, Any], after: dict[str, Any], says: str | None
) -> None:
    found = why(tmp_path, records, line(0, before, after))
    assert len(found) == (says is not None)
    assert all(says in one for one in found if says)


def test_what_shows_before_the_next_action_counts_too(tmp_path: Path) -> None:
    records = [*step(0, TAP, "unchanged", C), *step(1, TAP, "unchanged", C)]
    lines = line(0, moment(), moment()), line(1, moment(screen="late"), moment(screen="late"))
    assert why(tmp_path, records, *lines) == ["the screen or the phone's data changed later, before the next action"]


def test_what_the_ledger_does_not_tell_is_not_compared(tmp_path: Path) -> None:
    run = run_with(tmp_path / "run", step(0, TAP, "unchanged", C), line(0, moment(), None))
    unchanged = verdict_figures([run]).checks["unchanged"]
    assert (unchanged.verdicts, unchanged.compared, unchanged.wrong, unchanged.at_most) == (1, 0, 0, None)


def test_counts_shares_and_what_was_saved(tmp_path: Path) -> None:
    asked = reflected(2, span(2, 4), A, call(Role.REFLECT, 100), call(Role.REFLECT, 300))
    records = [
        *step(0, TAP, "unchanged", C),
        *step(1, TAP, "unchanged", C),
        asked,
        *step(3, TAP, "failed", C),
    ]
    figures = verdict_figures([run_with(tmp_path / "run", records, line(0, moment(), moment(screen="t")))])
    assert (figures.runs, figures.judged, figures.by_model) == (1, 4, 1)
    assert figures.by_rule == {"failed": 1, "unchanged": 2}
    unchanged = figures.checks["unchanged"]
    assert (unchanged.verdicts, unchanged.outcomes, unchanged.compared, unchanged.wrong) == (2, {"C": 2}, 1, 1)
    assert figures.checks["typed_text"].at_most is None
    assert (figures.saved_share, figures.saved_calls, figures.saved_tokens, figures.saved_s) == (0.5, 4, 800, 4.0)


def test_folders_that_say_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a run folder"):
        verdict_figures([tmp_path])
    run = run_with(tmp_path / "empty", [])
    with pytest.raises(BadInput, match="no step has a verdict"):
        verdict_figures([run])
    (run / "ledgers" / "p.json").write_text("{}")
    with pytest.raises(StoreError, match="no ledger"):
        verdict_figures([run])


@given(wrong=st.integers(0, 20), more=st.integers(0, 200))
def test_the_bound_lies_above_the_share_and_falls_with_the_number(wrong: int, more: int) -> None:
    compared = wrong + 1 + more
    bound = upper_bound(wrong, compared)
    assert wrong / compared < bound <= 1
    assert upper_bound(wrong, compared + 50) < bound


def test_the_rule_of_three() -> None:
    assert upper_bound(0, 300) == pytest.approx(0.00994, abs=1e-4)


# ---------------------------------------------------------------------------- the command
def test_the_command_judges_runs_that_are_there(tmp_path: Path) -> None:
    records = [*step(0, TAP, "unchanged", C), reflected(1, span(2, 4), A, call(Role.REFLECT, 100))]
    run = run_with(tmp_path / "run", records, line(0, moment(), moment(screen="t")))
    told = CliRunner().invoke(app, ["bench", "verdicts", "--run", str(run), "--json"])
    assert told.exit_code == 0
    found = json.loads(told.stdout)
    assert found["checks"]["unchanged"]["wrong"] == len(found["wrong"]) == 1
    assert found["machine"]["cores"] >= 1
    shown = CliRunner().invoke(app, ["bench", "verdicts", "--run", str(run)])
    assert shown.exit_code == 0
    assert "wrong: run, e, step 0: unchanged said C" in shown.stdout
    assert "50% of the steps needed no model" in shown.stdout


def test_what_the_runs_were_played_with_is_repeated(tmp_path: Path) -> None:
    records = step(0, TAP, "unchanged", C)
    played = {"model_source": "the rehearsed model", "phones_source": "virtual phones"}
    read = {"model_source": "Qwen", "phones_source": "virtual phones", "perception_source": "modelled perception"}
    all_asked = {"gestures": {"phones_source": "virtual phones"}, "played": played, "read": read}
    gestures, own, modelled = (run_with(tmp_path / name, records, asked=asked) for name, asked in all_asked.items())
    assert sources_of([gestures]) == {"phones": "virtual phones"}
    assert sources_of([gestures, own]) == {
        "phones": "virtual phones",
        "model": "the rehearsed model",
        "perception": "real OCR",
    }
    runs = ["--run", str(own), "--run", str(modelled)]
    told = CliRunner().invoke(app, ["bench", "verdicts", "--json", *runs])
    assert json.loads(told.stdout)["sources"] == {
        "model": "the rehearsed model; Qwen",
        "phones": "virtual phones",
        "perception": "real OCR; modelled perception",
    }
    shown = CliRunner().invoke(app, ["bench", "verdicts", *runs])
    assert "model: the rehearsed model; Qwen" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--run", "nowhere"], "not a run folder"),
        (["--task", "nothing"], "nothing"),
        (["--cheap-verdicts", "sometimes"], "cheap_verdicts"),
        (["--out", "."], "it is there already"),
    ],
)
def test_bad_input_is_refused_before_anything_starts(arguments: list[str], said: str) -> None:
    told = CliRunner().invoke(app, ["bench", "verdicts", *arguments])
    assert told.exit_code == 2
    assert said in told.stderr
