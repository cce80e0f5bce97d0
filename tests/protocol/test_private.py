"""What is written for its owner alone, whatever the umask is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.protocol.utilities import secure_files


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_git_sees_nothing_of_a_folder_that_is_made_untracked(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    secure_files.make_untracked_folder(tmp_path / "service")
    secure_files.write_text(tmp_path / "service" / "token", "secret")
    secure_files.make_untracked_folder(tmp_path / "service")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").write_text("a")
    secure_files.make_untracked_folder(tmp_path / "full")
    told = subprocess.run(
        ["git", "-C", str(tmp_path), "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True
    )
    assert told.stdout == "?? full/a\n", "a folder that held something keeps what it is"


def test_files_and_folders_are_their_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "above" / "run"
    secure_files.make_folder(folder)
    secure_files.make_folder(folder)
    secure_files.write_text(folder / "a", "ä")
    secure_files.write_bytes(folder / "a", b"b")
    for word in (b"one", b"two"):
        with secure_files.open_to_append(folder / "log") as log:
            log.write(word)
    assert (folder / "a").read_bytes() == b"b"
    assert (folder / "log").read_bytes() == b"onetwo"
    assert [mode(path) for path in (folder, folder / "a", folder / "log")] == [0o700, 0o600, 0o600]
    with pytest.raises(FileExistsError):
        secure_files.make_folder(folder, exist_ok=False)


def test_a_text_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "said.json"
    secure_files.replace_text(path, "one")
    with pytest.raises(UnicodeEncodeError):
        secure_files.replace_text(path, "two \ud800")  # no text that can be written
    assert path.read_text() == "one"
    secure_files.replace_text(path, "zwei ü")
    assert path.read_text(encoding="utf-8") == "zwei ü"
    assert mode(path) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["said.json"]


def test_a_file_that_others_could_read_is_its_owners_alone_from_now_on(tmp_path: Path) -> None:
    wide = tmp_path / "wide"
    wide.write_text("kept")
    wide.chmod(0o664)
    (tmp_path / "link").symlink_to(wide)
    secure_files.restrict(tmp_path / "link")
    secure_files.restrict(tmp_path / "missing")
    assert (mode(wide), wide.read_text()) == (0o600, "kept")
    assert not (tmp_path / "missing").exists()
    wide.chmod(0o400)
    secure_files.restrict(wide)
    assert mode(wide) == 0o400  # no right is given
