"""A store with a key: no record or screen is readable without it; torn tails and epochs stay as they were."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from pydantic import SecretStr
from pyrage.x25519 import Identity

from manyhands.actors.frames import Frame, content_id, decode_png
from manyhands.actors.store import RunStore, StoreSettings
from manyhands.deploy.telemetry.run_traces import JournalTail
from manyhands.evaluation.run_folder import RunFolder
from manyhands.protocol.errors import BadInput, StaleEpoch
from manyhands.protocol.journals.journal_file import START
from manyhands.protocol.phones import PhoneLog
from manyhands.protocol.runs.run_cipher import IDENTITY_VARIABLE, KEY, cipher_of, make_key
from tests.actors.store.test_store import ENDED, acted, journal_path, started

IDENTITY = Identity.generate()
MAGIC = (b"\x89PNG", b"JFIF", b"RIFF")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.yaml").write_text("tasks: []\n")
    make_key(run, [str(IDENTITY.to_public())])
    identity = tmp_path / "identity"
    identity.write_text(f"{IDENTITY}\n")
    identity.chmod(0o600)
    monkeypatch.setenv(IDENTITY_VARIABLE, str(identity))
    return run


def store_of(folder: Path) -> RunStore:
    return RunStore(StoreSettings(folder=folder, key=SecretStr(cipher_of(folder).key)))


async def test_all_is_read_with_the_key_and_nothing_without(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = np.zeros((80, 40, 3), np.uint8)
    name = content_id(screen)
    store = store_of(folder)
    await store.start()
    await store.append("a", [started("a", 0)], 0, 1)
    await store.append("a", [acted(0), acted(1)], 1, 1)
    await store.put_screens([name], Frame("rgb", screen))
    await store.append_log("a", PhoneLog(text="swordfish\n", clock_offset_s=1.0))
    await store.append_log("a", PhoneLog(text="trout\n", left_out=3))
    assert (await store.read("a", 1)).records == (started("a", 0), acted(0), acted(1))
    assert (await store.index())[0].started == started("a", 0)
    png = await store.screen(name)
    assert png is not None
    await store.append("a", [ENDED], 3, 1)
    await store.stop()

    stored = [path for path in folder.rglob("*") if path.is_file() and path.name != "run.yaml"]
    for data in map(Path.read_bytes, stored):
        assert not any(one in data for one in (*MAGIC, b"swordfish", b"trout", b"episode", b"acted"))
    copy = folder.parent / "copy"
    shutil.copytree(folder, copy)
    run = RunFolder(copy)
    assert run.journals["a"].records == (started("a", 0), acted(0), acted(1), ENDED)
    assert not run.journals["a"].damage
    assert (decode_png(run.screen_png(name) or b"") == screen).all()
    assert (run.thumbnail_jpeg(name) or b"").startswith(b"\xff\xd8\xff")
    assert (run.phone_log("a") or b"").splitlines()[1:] == [b"swordfish", b"trout"]
    monkeypatch.delenv(IDENTITY_VARIABLE)
    shutil.move(copy, folder.parent / "other")
    with pytest.raises(BadInput, match="is encrypted: name the file of your age identity"):
        RunFolder(folder.parent / "other").journal("a")


async def test_a_torn_append_is_cut_off_and_the_epoch_stays(folder: Path) -> None:
    store = store_of(folder)
    await store.start()
    await store.append("a", [started("a", 0)], 0, 1)
    await store.append("a", [acted(0)], 1, 7)
    await store.append("a", [acted(1)], 2, 7)
    await store.stop()
    path = journal_path(folder, "a")
    os.truncate(path, path.stat().st_size - 1)
    store = store_of(folder)
    await store.start()
    with pytest.raises(StaleEpoch):
        await store.append("a", [acted(1)], 2, 6)
    assert (await store.read("a", 7)).records == (started("a", 0), acted(0))
    await store.append("a", [acted(1)], 2, 7)
    await store.stop()
    scan = RunFolder(folder).journals["a"]
    assert (scan.records, scan.damage) == ((started("a", 0), acted(0), acted(1)), ())
    (cut,) = path.parent.glob("journal.mh.cut-*")
    assert b"acted" not in cut.read_bytes()


async def test_a_lost_first_record_comes_from_its_encrypted_copy(folder: Path) -> None:
    store = store_of(folder)
    await store.start()
    await store.append("a", [started("a", 0)], 0, 1)
    await store.append("a", [acted(0), ENDED], 1, 1)
    await store.stop()
    data = bytearray(journal_path(folder, "a").read_bytes())
    data[100] ^= 1
    journal_path(folder, "a").write_bytes(bytes(data))
    scan = RunFolder(folder).journals["a"]
    assert (scan.records, len(scan.damage)) == ((started("a", 0), acted(0), ENDED), 1)
    assert b"episode" not in journal_path(folder, "a").with_name(START).read_bytes()


async def test_a_tail_reads_on_whatever_was_written_when_it_looked(folder: Path) -> None:
    store = store_of(folder)
    await store.start()
    await store.append("a", [started("a", 0)], 0, 1)
    await store.append("a", [acted(0), acted(1)], 1, 1)
    await store.stop()
    journal = journal_path(folder, "a").read_bytes()
    path = folder.parent / "growing.mh"
    path.touch()
    tail, read = JournalTail(path, cipher=cipher_of(folder)), []
    for end in (*range(0, len(journal), 97), len(journal)):
        path.write_bytes(journal[:end])
        read += tail.read_on()
    assert [envelope.body for envelope in read] == [started("a", 0), acted(0), acted(1)]
    assert (folder / KEY).is_file()
