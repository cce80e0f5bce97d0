"""What is written for its owner alone, whatever the umask is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from manyhands.protocol import private


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_files_and_folders_are_their_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "above" / "run"
    private.make_folder(folder)
    private.make_folder(folder)
    private.write_text(folder / "a", "ä")
    private.write_bytes(folder / "a", b"b")
    for word in (b"one", b"two"):
        with private.open_to_append(folder / "log") as log:
            log.write(word)
    assert (folder / "a").read_bytes() == b"b"
    assert (folder / "log").read_bytes() == b"onetwo"
    assert [mode(path) for path in (folder, folder / "a", folder / "log")] == [0o700, 0o600, 0o600]
    with pytest.raises(FileExistsError):
        private.make_folder(folder, exist_ok=False)


def test_a_text_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "said.json"
    private.replace_text(path, "one")
    with pytest.raises(UnicodeEncodeError):
        private.replace_text(path, "two \ud800")  # no text that can be written
    assert path.read_text() == "one"
    private.replace_text(path, "zwei ü")
    assert path.read_text(encoding="utf-8") == "zwei ü"
    assert mode(path) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["said.json"]
