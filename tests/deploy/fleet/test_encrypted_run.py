"""A run with ``--encrypt-with`` is killed, goes on, and is read with the key; without it, no file tells a screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyrage.x25519 import Identity

from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.journals.records import EpisodeStarted, Perceived, Record
from manyhands.protocol.runs.run_cipher import IDENTITY_VARIABLE, KEY
from tests.deploy.command_line.called import manyhands
from tests.deploy.fleet.killed_runs import until_nothing_is_left, workplace

MAGIC = (b"\x89PNG\r\n", b"\x00\x10JFIF\x00", b"WEBPVP8")
SHORTEST = 8
"""Shorter texts of screens may stand anywhere by chance."""


def write_identity(path: Path, identity: Identity) -> Path:
    path.write_text(f"{identity}\n")
    path.chmod(0o600)
    return path


def screen_texts(records: tuple[Record, ...]) -> Iterator[str]:
    for record in records:
        if isinstance(record, Perceived):
            yield from (one.content for one in record.screen.elements if len(one.content) >= SHORTEST)


def test_what_cannot_be_encrypted_is_refused_in_one_line(tmp_path: Path) -> None:
    ours = Identity.generate()
    words = ["run", "--goal", "x", "--phones", "virtual:1", "--mllm-url", "rehearsed", "--out", tmp_path / "run"]
    for options, problem in (
        (["--encrypt-with", "age1none"], "encrypt_with: age1none: is no public key of age"),
        (["--encrypt-with", str(ours)], "encrypt_with: this is an identity, which must stay secret"),
        (["--encrypt-with", str(ours.to_public()), "--report"], "a report in the run folder is not encrypted"),
        (["--encrypt-with", str(ours.to_public()), "--profile", "e+evo"], "name a place for it by --memory"),
    ):
        done = manyhands(*words, *options)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr
        assert problem in done.stderr
        assert str(ours) not in done.stderr
    done = manyhands("serve", "--folder", tmp_path / "service", MANYHANDS_ENCRYPT_WITH=str(ours.to_public()))
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "a service keeps results in its database, which is not encrypted" in done.stderr
    assert not any(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_an_encrypted_run_goes_on_and_is_read_with_its_key(
    adb_server: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, folder, report = Identity.generate(), tmp_path / "run", tmp_path / "report"
    identity = write_identity(tmp_path / "identity", ours)
    stranger = write_identity(tmp_path / "stranger", Identity.generate())
    monkeypatch.delenv(IDENTITY_VARIABLE, raising=False)
    async with workplace(tmp_path, adb_server[1], 1) as place:
        tasks = ["--task", "hotel_message", "--task", "greeting"]
        run = await place.run("run", *tasks, "--encrypt-with", str(ours.to_public()))
        assert await run.after(folder, 4.0), (await run.ended).errors
        await run.kill_tree()
        for options in ([], ["--identity", str(stranger)]):
            done = await (await place.command("resume", str(folder), *options)).ended
            assert (done.code, "is encrypted" in done.value["error"]) == (2, True), done.errors
        done = await (await place.command("resume", str(folder), "--identity", str(identity))).ended
        assert [row["verified"] for row in done.value["by_task"]] == [True, True], done.errors
        await until_nothing_is_left(place.ray, 20.0)
        for words in (
            ["results", str(folder)],
            ["audit", str(folder)],
            ["report", str(folder), "--out", str(report)],
            ["replay", str(folder), "--mllm-url", place.model, "--limit", "2"],
        ):
            done = await (await place.command(*words)).ended
            assert (done.code, "is encrypted" in done.value["error"]) == (2, True), (words, done.errors)
            done = await (await place.command(*words, "--identity", str(identity))).ended
            assert done.code == 0, (words, done.out, done.errors)
    assert manyhands("prune", folder, "--older-than", "1d", "--dry-run").returncode == 0

    monkeypatch.setenv(IDENTITY_VARIABLE, str(identity))
    read = RunFolder(folder)
    run_yaml = (folder / "run.yaml").read_text(encoding="utf-8")
    scans = read.journals.values()
    assert all(isinstance(scan.records[0], EpisodeStarted) for scan in scans)
    texts = {text for scan in scans for text in screen_texts(scan.records) if text not in run_yaml}
    assert len(texts) > 10
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    names = {path.relative_to(folder).parts[0] for path in files}
    assert names >= {KEY, "run.yaml", "summary.json", "episodes", "screens", "thumbnails", "ledgers"}
    assert "report" not in names
    for path, data in files.items():
        found = [text for text in texts if text.encode() in data] if path.name != "run.yaml" else []
        assert not found, (path, found)
        assert not any(magic in data for magic in MAGIC), path
    plain = b"".join(path.read_bytes() for path in report.rglob("*") if path.is_file())
    assert any(text.encode() in plain for text in texts)
    assert MAGIC[0] in plain
