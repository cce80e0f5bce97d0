"""What a run encrypts comes back whole with its key, and in no other way; journals keep their torn tails."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrage.x25519 import Identity

from manyhands.protocol.errors import BadInput, StoreError
from manyhands.protocol.journals.frames import frame, walk
from manyhands.protocol.runs.run_cipher import (
    IDENTITY_VARIABLE,
    KEY,
    PLAIN,
    RunCipher,
    check_recipients,
    cipher_of,
    make_key,
)

KEYS = [str(Identity.generate()) for _ in range(2)]
OURS, THEIRS = map(RunCipher, KEYS)
TEXT = b"swordfish"
PAYLOADS = st.binary(max_size=60).map(lambda rest: TEXT + rest)
APPENDS = st.lists(st.lists(PAYLOADS, min_size=1, max_size=4), min_size=1, max_size=5)
"""The payloads of the records of each append."""
SHARES = st.floats(0, 1, exclude_max=True)
"""Places in stored data, as shares of its length: that differs from one encryption to the next."""


def appended(appends: list[list[bytes]]) -> tuple[list[bytes], list[bytes]]:
    """The frames of each append, plain and as they are stored."""
    plain = [b"".join(map(frame, payloads)) for payloads in appends]
    return plain, [OURS.encrypt_frames(data) for data in plain]


@settings(max_examples=60, deadline=None)
@given(appends=APPENDS, share=SHARES)
def test_of_a_torn_journal_every_whole_append_is_read(appends: list[list[bytes]], share: float) -> None:
    plain, stored = appended(appends)
    journal = b"".join(stored)
    assert OURS.decrypt_frames(journal) == b"".join(plain)
    assert TEXT not in journal
    cut = int(share * (len(journal) + 1))
    whole, end = 0, 0
    while whole < len(stored) and end + len(stored[whole]) <= cut:
        end += len(stored[whole])
        whole += 1
    read = OURS.decrypt_frames(journal[:cut])
    assert read == b"".join(plain[:whole]) + journal[end:cut]
    assert len(walk(read).frames) == sum(map(len, appends[:whole]))
    again = journal[:end] + b"".join(stored[whole:])  # the tail was cut off, and its writer wrote it again
    assert OURS.decrypt_frames(again) == b"".join(plain)


@settings(max_examples=60, deadline=None)
@given(appends=APPENDS, share=SHARES, of_append=SHARES, bit=st.integers(0, 7))
def test_a_damaged_byte_takes_only_its_own_append(
    appends: list[list[bytes]], share: float, of_append: float, bit: int
) -> None:
    plain, stored = appended(appends)
    number = int(share * len(stored))
    damaged = bytearray(stored[number])
    damaged[int(of_append * len(damaged))] ^= 1 << bit
    read = OURS.decrypt_frames(b"".join((*stored[:number], bytes(damaged), *stored[number + 1 :])))
    view = memoryview(read)
    payloads = [bytes(one.payload(view)) for one in walk(read).frames]
    others = [payload for place, part in enumerate(appends) for payload in part if place != number]
    assert [payload for payload in payloads if not payload.startswith(b"age-encryption.org")] == others
    assert read.startswith(b"".join(plain[:number]))
    assert read.endswith(b"".join(plain[number + 1 :]))


@settings(max_examples=30, deadline=None)
@given(appends=APPENDS)
def test_another_key_reads_nothing(appends: list[list[bytes]]) -> None:
    _, stored = appended(appends)
    assert THEIRS.decrypt_frames(b"".join(stored)) == b"".join(stored)
    with pytest.raises(StoreError, match=f"a journal is encrypted, and {KEY} is missing"):
        PLAIN.decrypt_frames(b"".join(stored))


def test_long_records_have_frames_of_their_own() -> None:
    records = [frame(bytes([number]) * size) for number, size in enumerate((10, 700_000, 700_000, 3_000_000, 10))]
    stored = OURS.encrypt_frames(b"".join(records))
    assert len(walk(stored).frames) == 4
    assert OURS.decrypt_frames(stored) == b"".join(records)
    assert OURS.encrypt_frames(b"") == b""


def test_a_file_is_read_with_its_key_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(OURS.encrypt(b"pixels"))
    assert OURS.read(path) == b"pixels"
    with pytest.raises(StoreError, match=r"a\.png: cannot be decrypted"):
        THEIRS.read(path)
    with pytest.raises(StoreError, match=rf"a\.png: is encrypted, and {KEY} is missing"):
        PLAIN.read(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StoreError, match=r"a\.png: cannot be decrypted"):
        OURS.read(path)
    assert PLAIN.encrypt(b"pixels") == b"pixels"


@pytest.fixture
def moved(tmp_path: Path) -> tuple[Path, Identity]:
    """An encrypted run folder, of which this process did not make the key, and the identity that opens it."""
    ours = Identity.generate()
    (tmp_path / "made").mkdir()
    make_key(tmp_path / "made", [str(Identity.generate().to_public()), str(ours.to_public())])
    shutil.move(tmp_path / "made", tmp_path / "run")
    return tmp_path / "run", ours


def write_identity(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_identity_of_any_recipient_opens_the_key(
    moved: tuple[Path, Identity], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, ours = moved
    file = write_identity(tmp_path / "id", f"# created: today\n# public key: {ours.to_public()}\n{ours}\n")
    monkeypatch.setenv(IDENTITY_VARIABLE, str(file))
    cipher = cipher_of(run)
    monkeypatch.delenv(IDENTITY_VARIABLE)
    assert cipher.key.startswith("AGE-SECRET-KEY-1")
    assert cipher_of(run) is cipher
    (run / KEY).unlink()
    assert cipher_of(run) is cipher  # a run that goes on stays encrypted
    assert cipher_of(tmp_path) is PLAIN


@pytest.mark.parametrize(
    ("text", "mode", "problem"),
    [
        (None, 0, "is encrypted: name the file of your age identity by --identity or MANYHANDS_IDENTITY"),
        ("", 0o600, "holds no identity of age"),
        ("AGE-SECRET-KEY-1NONE", 0o600, "holds no identity of age"),
        ("-----BEGIN AGE ENCRYPTED FILE-----", 0o600, "holds no identity of age"),
        (str(Identity.generate()), 0o640, "others may read this identity: chmod 600"),
        (str(Identity.generate()), 0o600, f"does not open its {KEY}: No matching keys found"),
    ],
    ids=("none", "empty", "cut_off", "encrypted", "readable", "stranger"),  # keys differ in each process of a run
)
def test_without_the_identity_a_line_says_what_is_missing(
    moved: tuple[Path, Identity],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str | None,
    mode: int,
    problem: str,
) -> None:
    run, _ = moved
    monkeypatch.delenv(IDENTITY_VARIABLE, raising=False)
    if text is not None:
        monkeypatch.setenv(IDENTITY_VARIABLE, str(write_identity(tmp_path / "id", text, mode)))
    with pytest.raises(BadInput, match=problem) as error:
        cipher_of(run)
    assert "AGE-SECRET-KEY-1NONE" not in str(error.value)


def test_no_identity_is_taken_for_a_public_key() -> None:
    with pytest.raises(ValueError, match="is no public key of age"):
        check_recipients([str(Identity.generate().to_public()), "age1none"])
    with pytest.raises(ValueError, match="must stay secret") as error:
        check_recipients([KEYS[0]])
    assert KEYS[0] not in str(error.value)
