"""Commands tell the same of a run and of its encrypted copy; without the key, each ends with one line."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest
from pyrage.x25519 import Identity

from manyhands.protocol.runs.run_cipher import IDENTITY_VARIABLE, KEY, cipher_of, make_key
from tests.deploy.command_line.called import manyhands
from tests.deploy.command_line.test_stored_runs import ARCHIVE, RUN

READS = (
    ("results",),
    ("audit",),
    ("suite", "score"),
    ("policy", "check"),
    ("control", "status"),
    ("report", "--one-file", "report.html"),
    ("report", "--out", "report"),
    ("export", "--format", "atif", "--out", "export"),
    ("resume",),
)
"""Commands and their options; ``control`` takes its action behind the folder."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A run folder of before, an encrypted copy whose key this process does not know, and the file of the identity."""
    top, ours = tmp_path_factory.mktemp("encrypted"), Identity.generate()
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(top / "plain", filter="data")
    made = top / "made" / RUN
    shutil.copytree(top / "plain" / RUN, made)
    make_key(made, [str(ours.to_public())])
    cipher = cipher_of(made)
    for path in (*made.glob("screens/*"), *made.glob("episodes/*/*.mh")):
        encrypt = cipher.encrypt_frames if path.suffix == ".mh" else cipher.encrypt
        path.write_bytes(encrypt(path.read_bytes()))
    shutil.move(top / "made", top / "encrypted")
    identity = top / "identity"
    identity.write_text(f"{ours}\n")
    identity.chmod(0o600)
    return top / "plain" / RUN, top / "encrypted" / RUN, identity


def words_of(read: tuple[str, ...], folder: Path) -> list[str | Path]:
    if read == ("control", "status"):
        return ["control", folder, "status"]
    command = 2 if read[:2] in (("suite", "score"), ("policy", "check")) else 1
    return [*read[:command], folder, *read[command:]]


@pytest.mark.parametrize("read", READS, ids=lambda read: "_".join(read[:2]))
def test_without_the_key_a_command_says_what_is_missing(
    places: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: tuple[str, ...]
) -> None:
    _, encrypted, _ = places
    copy = shutil.copytree(encrypted, tmp_path / RUN)
    monkeypatch.delenv(IDENTITY_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    done = manyhands(*words_of(read, copy))
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr
    assert "is encrypted: name the file of your age identity by --identity or MANYHANDS_IDENTITY" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {RUN}


@pytest.mark.parametrize("read", READS[:5], ids=lambda read: "_".join(read[:2]))
def test_with_the_key_a_command_tells_the_same(places: tuple[Path, Path, Path], read: tuple[str, ...]) -> None:
    plain, encrypted, identity = places
    expected = manyhands(*words_of(read, plain), "--json")
    done = manyhands(*words_of(read, encrypted), "--identity", identity, "--json")
    assert (done.returncode, done.stdout) == (expected.returncode, expected.stdout.replace(str(plain), str(encrypted)))
    assert done.returncode in (0, 1)


def test_a_report_is_written_elsewhere_alone(places: tuple[Path, Path, Path], tmp_path: Path) -> None:
    plain, encrypted, identity = places
    before = {path for path in encrypted.rglob("*") if path.name != "summary.json"}
    done = manyhands("report", encrypted, "--identity", identity)
    assert (done.returncode, "name a place outside by --out or --one-file" in done.stderr) == (2, True)
    assert (
        manyhands("report", encrypted, "--out", tmp_path / "report", MANYHANDS_IDENTITY=str(identity)).returncode == 0
    )
    assert {path for path in encrypted.rglob("*") if path.name != "summary.json"} == before
    for name in (path.name for path in plain.glob("screens/*")):
        copy = tmp_path / "report" / "screens" / name
        assert not copy.exists() or copy.read_bytes() == (plain / "screens" / name).read_bytes()
    assert any((tmp_path / "report" / "screens").iterdir())
    assert b"by_task" not in (encrypted / "summary.json").read_bytes()
    assert b"by_task" in cipher_of(encrypted).read(encrypted / "summary.json")


def test_a_folder_whose_key_file_is_gone_says_so(places: tuple[Path, Path, Path], tmp_path: Path) -> None:
    copy = shutil.copytree(places[1], tmp_path / RUN)
    (copy / KEY).unlink()
    done = manyhands("results", copy)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert f"a journal is encrypted, and {KEY} is missing" in done.stderr
