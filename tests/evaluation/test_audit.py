"""Journals against ledgers: every way in which they may differ is found, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from manyhands.deploy.command_line.cli import app
from manyhands.evaluation.audit import Ledger, LedgerRow, audit, audit_folders
from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.journals.journal import encode
from manyhands.protocol.journals.records import Record
from manyhands.protocol.phones import CHECK_KEY
from manyhands.protocol.tasks.task import TaskSpec
from tests.evaluation.run_records import prepared, receipt, received, sent, started, write_run

TASK = TaskSpec(id="a", goal="g")


def ledger(serial: str, *keys: str | None) -> Ledger:
    return Ledger(serial=serial, rows=tuple(LedgerRow(key=key, line="input tap 1 1") for key in keys))


def journal() -> list[Record]:
    """One key of every fate, after a reset."""
    return [
        started("e", TASK),
        prepared(receipt("e:reset")),
        sent(0, "e:0"),
        received(0, "e:0"),
        sent(1, "e:1"),
        received(1, "e:1", "unknown"),
        sent(2, "e:2"),
        received(2, "e:2", "refused"),
        sent(3, "e:3"),
    ]


def violations(*keys: str | None) -> list[tuple[str, str | None, int]]:
    report = audit([journal()], [ledger("p", *keys)])
    assert report.verdict == ("contradicts" if report.violations else "agrees")
    return [(item.kind, item.key, item.rows) for item in report.violations]


@pytest.mark.parametrize(
    "received_keys",
    [("e:reset", "e:0"), ("e:reset", "e:0", "e:1"), ("e:0", "e:3", "e:reset"), ("e:reset", "e:0", "e:1", "e:3")],
)
def test_ledgers_that_agree(received_keys: tuple[str, ...]) -> None:
    assert violations(*received_keys) == []


@pytest.mark.parametrize(
    ("received_keys", "found"),
    [
        (("e:reset",), ("missing", "e:0", 0)),
        (("e:0",), ("missing", "e:reset", 0)),
        (("e:reset", "e:0", "e:0"), ("repeated", "e:0", 2)),
        (("e:reset", "e:0", "e:1", "e:1"), ("repeated", "e:1", 2)),
        (("e:reset", "e:0", "e:3", "e:3", "e:3"), ("repeated", "e:3", 3)),
        (("e:reset", "e:0", "e:2"), ("refused_but_sent", "e:2", 1)),
        (("e:reset", "e:0", "x:9"), ("unjournalled", "x:9", 1)),
        (("e:reset", "e:0", None, None), ("without_key", None, 2)),
    ],
)
def test_ledgers_that_differ(received_keys: tuple[str | None, ...], found: tuple[str, str | None, int]) -> None:
    assert violations(*received_keys) == [found]


def test_lines_that_make_a_phone_fit_belong_to_no_episode() -> None:
    assert violations(CHECK_KEY, "e:reset", "e:0", CHECK_KEY) == []


@given(st.lists(st.sampled_from(["e:reset", "e:0", "e:1", "e:2", "e:3", "x", None]), max_size=8))
def test_what_is_found_is_what_the_rules_say(keys: list[str | None]) -> None:
    allowed = {"e:reset": (1, 1), "e:0": (1, 1), "e:1": (0, 1), "e:2": (0, 0), "e:3": (0, 1), "x": (0, 0), None: (0, 0)}
    wrong = {key for key, (least, most) in allowed.items() if not least <= keys.count(key) <= most}
    assert {key for _, key, _ in violations(*keys)} == wrong


def test_a_key_on_another_phone_is_found_on_both() -> None:
    report = audit([[started("e", TASK), sent(0, "k"), received(0, "k")]], [ledger("p"), ledger("q", "k")])
    assert {(item.kind, item.serial) for item in report.violations} == {("other_phone", "q"), ("missing", "p")}


def test_a_reset_whose_host_died_before_it_was_written_is_known() -> None:
    report = audit([[started("e", TASK)]], [ledger("p", "e:reset")])
    assert report.verdict == "agrees"


def test_a_phone_without_a_ledger_is_named_and_not_judged() -> None:
    report = audit([journal()], [ledger("q")])
    assert (report.verdict, report.unaudited, report.rows) == ("incomplete", ("p",), 0)
    assert report.not_judged == ("phones without a ledger: p",)
    assert report.keys == {"done": 2, "unknown": 1, "refused": 1, "unanswered": 1}


def test_without_any_ledger_nothing_agrees() -> None:
    for journals in ([], [journal()]):
        report = audit(journals, [])
        assert report.verdict == "incomplete"
        assert "no ledger at all" in report.not_judged[0]


def test_a_contradiction_outweighs_what_could_not_be_judged() -> None:
    report = audit([journal()], [ledger("q", "x:9")], damaged=1)
    assert report.verdict == "contradicts"
    assert len(report.not_judged) == 2


def test_a_journal_of_no_known_episode_is_not_judged() -> None:
    agreeing = ledger("p", "e:reset", "e:0")
    assert audit([[], journal()], [agreeing]).verdict == "agrees"
    report = audit([[sent(0, "k")], journal()], [agreeing])
    assert (report.verdict, report.damaged) == ("incomplete", 1)


def test_runs_that_shared_phones_are_audited_together(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, episode in zip(folders, ["e", "f"], strict=True):
        (folder / "ledgers").mkdir(parents=True)
        records = [started(episode, TASK), sent(0, f"{episode}:0"), received(0, f"{episode}:0")]
        write_run(folder, {"run_id": episode}, {episode: records})
    rows = [{"seq": n, "at": 1.0, "key": key, "line": "input"} for n, key in enumerate(["e:0", "f:0"])]
    for folder, count in zip(folders, [1, 2], strict=True):
        (folder / "ledgers" / "p.json").write_text(json.dumps({"serial": "p", "rows": rows[:count]}))
    assert audit_folders(*folders).violations == ()
    assert [item.kind for item in audit_folders(folders[1]).violations] == ["unjournalled"]


def test_what_is_no_ledger_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        audit_folders(tmp_path)
    write_run(tmp_path, {}, {})
    (tmp_path / "ledgers").mkdir()
    (tmp_path / "ledgers" / "p.json").write_text("{")
    with pytest.raises(StoreError, match=r"p\.json is not a ledger"):
        audit_folders(tmp_path)


def test_an_empty_file_of_a_ledger_is_told_in_a_line_and_its_phone_is_not_judged(tmp_path: Path) -> None:
    write_run(tmp_path, {}, {"e": journal()})
    (tmp_path / "ledgers").mkdir()
    (tmp_path / "ledgers" / "p.json").write_bytes(b"")
    text = CliRunner().invoke(app, ["audit", str(tmp_path)])
    assert text.exit_code == 1
    assert "not judged: empty files of ledgers, the disk may have been full: p.json" in text.output
    assert "not judged: phones without a ledger: p" in text.output


def test_records_that_are_there_twice_count_once_and_missing_ones_are_told(tmp_path: Path) -> None:
    write_run(tmp_path, {}, {"e": []})
    (tmp_path / "ledgers").mkdir()
    (tmp_path / "ledgers" / "p.json").write_text(ledger("p", "e:reset", "e:0").model_dump_json())
    parts = [encode(record, "e", None, seq, 1) for seq, record in enumerate(journal())]
    path = tmp_path / "episodes" / "e" / "journal.mh"
    path.write_bytes(b"".join([*parts[:4], *parts[2:]]))
    report = audit_folders(tmp_path)
    assert (report.verdict, sum(report.keys.values())) == ("agrees", 5)
    path.write_bytes(b"".join([*parts[:4], *parts[5:]]))
    report = audit_folders(tmp_path)
    assert (report.verdict, report.damaged) == ("incomplete", 1)


def test_what_a_phone_received_before_the_run_with_keys_of_other_runs_is_not_judged(tmp_path: Path) -> None:
    """Virtual phones that outlive a run, as those of ``simulate``, keep what all runs sent."""
    write_run(tmp_path, {"started_at": 100.0}, {"e": journal()})
    (tmp_path / "ledgers").mkdir()
    keys = {"other:0": 99.0, "e:reset": 99.5, "e:0": 101.0}
    rows = tuple(LedgerRow(key=key, line="input tap 1 1", at=at) for key, at in keys.items())
    path = tmp_path / "ledgers" / "p.json"
    path.write_text(Ledger(serial="p", rows=rows).model_dump_json())
    report = audit_folders(tmp_path)
    assert (report.verdict, report.rows, report.earlier) == ("agrees", 3, 1)
    text = CliRunner().invoke(app, ["audit", str(tmp_path)])
    assert "lines in the ledgers: 3, 1 of them of runs before" in text.output
    late = tuple(row.model_copy(update={"at": 100.5}) for row in rows)
    path.write_text(Ledger(serial="p", rows=late).model_dump_json())
    assert [one.key for one in audit_folders(tmp_path).violations] == ["other:0"]


def test_damage_in_a_journal_is_told(tmp_path: Path) -> None:
    write_run(tmp_path, {}, {"e": [started("e", TASK)]})
    path = tmp_path / "episodes" / "e" / "journal.mh"
    (tmp_path / "ledgers").mkdir()
    (tmp_path / "ledgers" / "p.json").write_text(ledger("p").model_dump_json())
    assert audit_folders(tmp_path).verdict == "agrees"
    path.write_bytes(path.read_bytes() + b"torn")
    report = audit_folders(tmp_path)
    assert (report.verdict, report.damaged) == ("incomplete", 1)


@pytest.mark.parametrize(
    ("rows", "code", "verdict", "said"),
    [
        (("e:reset", "e:0"), 0, "agrees", "Everything agrees."),
        (("e:reset",), 1, "contradicts", "missing"),
        (None, 1, "incomplete", "not judged: no ledger at all"),
    ],
)
def test_the_command_says_and_returns_the_verdict(
    tmp_path: Path, rows: tuple[str, ...] | None, code: int, verdict: str, said: str
) -> None:
    write_run(tmp_path, {}, {"e": journal()})
    if rows is not None:
        (tmp_path / "ledgers").mkdir()
        (tmp_path / "ledgers" / "p.json").write_text(ledger("p", *rows).model_dump_json())
    text = CliRunner().invoke(app, ["audit", str(tmp_path)])
    assert text.exit_code == code
    assert said in text.output
    as_json = CliRunner().invoke(app, ["audit", str(tmp_path), "--json"])
    assert as_json.exit_code == code
    assert json.loads(as_json.output)["verdict"] == verdict


def copy_of_a_run(folder: Path, *journal: Record, resumed: bool = True) -> Path:
    """A copy of a folder that was begun as ``aa``: the phone did ``e:0`` for both, then ``e:1`` for the other one."""
    folder.mkdir()
    again = [{"at": 50.0, "folder": "bb"}] if resumed else []
    run = {"started_at": 0.0, "folder": "aa", "resumed": again, "tasks": []}
    write_run(folder, run, {"e": [started("e", TASK), prepared(receipt("e:reset")), sent(0, "e:0", at=10), *journal]})
    rows = [("e:reset", 1), ("e:0", 10), ("e:1", 60)]
    (folder / "ledgers").mkdir()
    ledger = {"serial": "p", "rows": [{"key": key, "line": "input", "at": at} for key, at in rows]}
    (folder / "ledgers" / "p.json").write_text(json.dumps(ledger))
    return folder


def test_lines_of_another_copy_of_a_run_folder_are_told_apart(tmp_path: Path) -> None:
    copy = copy_of_a_run(tmp_path / "copy", received(0, "e:0"))
    report = audit_folders(copy)
    assert (report.verdict, report.other_copies, report.violations) == ("incomplete", 1, ())
    assert report.not_judged == ("lines of another copy of this run folder: 1; audit it together with this one",)
    original = copy_of_a_run(tmp_path / "original", received(0, "e:0"), sent(1, "e:1", at=60), resumed=False)
    assert audit_folders(original).verdict == "agrees"
    assert [audit_folders(*both).verdict for both in ((copy, original), (original, copy))] == ["agrees", "agrees"]


def test_a_line_of_before_the_copy_or_of_another_episode_is_not_excused(tmp_path: Path) -> None:
    copy = copy_of_a_run(tmp_path / "copy", received(0, "e:0"))
    path = copy / "ledgers" / "p.json"
    ledger = json.loads(path.read_text())
    ledger["rows"] += [{"key": key, "line": "input", "at": at} for key, at in (("e:8", 9), ("f:0", 60), ("e:9", None))]
    path.write_text(json.dumps(ledger))
    report = audit_folders(copy)
    assert [(one.kind, one.key) for one in report.violations] == [
        ("unjournalled", "e:8"),
        ("unjournalled", "f:0"),
        ("unjournalled", "e:9"),
    ]
    assert not audit_folders(copy_of_a_run(tmp_path / "same", resumed=False)).other_copies


def test_a_key_that_one_copy_was_refused_and_the_other_sent_agrees(tmp_path: Path) -> None:
    copy = copy_of_a_run(tmp_path / "copy", sent(1, "e:1", at=55), received(1, "e:1", "refused"))
    original = copy_of_a_run(tmp_path / "original", sent(1, "e:1", at=60), received(1, "e:1"), resumed=False)
    for both in ((copy, original), (original, copy)):
        assert audit_folders(*both).verdict == "agrees"
