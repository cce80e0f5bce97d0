"""Encrypt what a run folder holds of screens, and decrypt it for those who have the key.

A run has a key pair of age (https://age-encryption.org/v1) of its own. ``key.age`` in the run folder holds its
identity, encrypted to the recipients that the user named. The processes of the run hold that identity in memory, so
they need no other one. Pictures, logs, ledgers and figures are files of age. A journal keeps its frames, and each frame
holds a file of age, in which there are the frames of one or more records (``encrypt_frames``). So journals can be
appended to, cut off and read on as others are.

Nothing says who wrote a file. Files and frames that are not encrypted are read as they are.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from manyhands.protocol.errors import BadInput, InvalidRecord, JournalDamaged, StoreError, store_error
from manyhands.protocol.journals.frames import HEADER_SIZE, SYNC, frame, walk
from manyhands.protocol.utilities import secure_files

KEY = "key.age"
IDENTITY_VARIABLE = "MANYHANDS_IDENTITY"
_AGE = b"age-encryption.org/v1\n"
"""Begins every file of age."""
_MOST_TOGETHER = 2**20
"""How many bytes of records share a frame, unless one record has more."""
_LONGEST_IDENTITY_FILE = 2**16


class RunCipher:
    """Encrypt and decrypt with the key of one run. Without a key, everything stays as it is."""

    def __init__(self, key: str = "") -> None:
        """``key``: the run's identity, as age writes it."""
        self.key = key
        self._identity = _age().x25519.Identity.from_str(key) if key else None
        self._recipients = [] if self._identity is None else [self._identity.to_public()]

    @property
    def is_plain(self) -> bool:
        """Return whether the run is not encrypted."""
        return self._identity is None

    def encrypt(self, content: bytes) -> bytes:
        """Return the content of a file as it is stored."""
        return bytes(_age().encrypt(content, self._recipients)) if self._recipients else content

    def read(self, path: Path) -> bytes:
        """Return the content of a stored file. Raises OSError, and StoreError for what this key does not decrypt."""
        stored = path.read_bytes()
        if not stored.startswith(_AGE):
            return stored
        if self._identity is None:
            raise StoreError(f"{path}: is encrypted, and {KEY} is missing in its run folder: put it back")
        try:
            return bytes(_age().decrypt(stored, [self._identity]))
        except _age().DecryptError as error:
            raise StoreError(f"{path}: cannot be decrypted: {error}") from error

    def encrypt_frames(self, data: bytes) -> bytes:
        """Return the frames of whole records as they are stored. Raises InvalidRecord for a record that is too long."""
        if self._identity is None or not data:
            return data
        stored: list[bytes] = []
        start = end = 0
        for byte_frame in walk(data).frames:
            if start < end and byte_frame.end - start > _MOST_TOGETHER:
                stored.append(self._frame(data[start:end]))
                start = end
            end = byte_frame.end
        return b"".join((*stored, self._frame(data[start:])))

    def decrypt_frames(self, stored: bytes) -> bytes:
        """Return the frames of records that stored frames hold. What cannot be decrypted stays, and counts as damage.

        Raises StoreError if the frames are encrypted and there is no key.
        """
        if self._identity is None:
            if stored.startswith(SYNC) and stored.startswith(_AGE, HEADER_SIZE):
                raise StoreError(f"a journal is encrypted, and {KEY} is missing in its run folder: put it back")
            return stored
        parts: list[bytes] = []
        end = 0
        with memoryview(stored) as view:
            for byte_frame in walk(stored).frames:
                try:
                    records = _age().decrypt(bytes(byte_frame.payload(view)), [self._identity])
                except _age().DecryptError:
                    continue
                parts += [stored[end : byte_frame.start], records]
                end = byte_frame.end
        return b"".join((*parts, stored[end:]))

    def _frame(self, records: bytes) -> bytes:
        try:
            return frame(self.encrypt(records))
        except JournalDamaged as error:
            raise InvalidRecord(f"encrypted: {error}") from error


PLAIN = RunCipher()
_ciphers: dict[Path, tuple[bytes, RunCipher]] = {}
"""What this process knows: by run folder, the content of ``key.age`` and the cipher.

Who made a run's key needs no identity to read the run. If somebody removes the file, the run goes on encrypted.
"""


def check_recipients(texts: Sequence[str]) -> None:
    """Raise ValueError for a text that is no public key of age."""
    for text in texts:
        _recipient(text)


def make_key(folder: Path, recipients: Sequence[str]) -> None:
    """Make the key of a new run, and write ``key.age``. Raises StoreError."""
    key = str(_age().x25519.Identity.generate())
    stored = bytes(_age().encrypt(key.encode(), [_recipient(text) for text in recipients]))
    try:
        secure_files.replace_bytes(folder / KEY, stored)
    except OSError as error:
        raise store_error(error, str(folder / KEY)) from error
    _ciphers[folder.absolute()] = stored, RunCipher(key)


def cipher_of(folder: Path) -> RunCipher:
    """Return what encrypts and decrypts the files of a run folder.

    Raises BadInput if the folder is encrypted and nobody names an identity that opens its key, and StoreError.
    """
    before, cipher = _ciphers.get(folder.absolute(), (b"", PLAIN))
    try:
        stored = (folder / KEY).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return cipher
    except OSError as error:
        raise store_error(error, str(folder / KEY)) from error
    if stored != before:
        cipher = RunCipher(_open_key(folder, stored))
        _ciphers[folder.absolute()] = stored, cipher
    return cipher


def _open_key(folder: Path, stored: bytes) -> str:
    name = os.environ.get(IDENTITY_VARIABLE)
    if not name:
        how = f"name the file of your age identity by --identity or {IDENTITY_VARIABLE}"
        raise BadInput(f"{folder}: is encrypted: {how}")
    path = Path(name).expanduser()
    identities = _read_identities(path)
    try:
        return bytes(_age().decrypt(stored, identities)).decode()
    except _age().DecryptError as error:
        raise BadInput(f"{folder}: is encrypted, and {path} does not open its {KEY}: {error}") from error


def _read_identities(path: Path) -> list[Any]:
    """Read a file as age-keygen writes it. No error shows a line of it. Raises BadInput."""
    try:
        with path.open("rb") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & ~secure_files.FILE_MODE:
                raise BadInput(f"{path}: others may read this identity: chmod 600 {path}")
            lines = file.read(_LONGEST_IDENTITY_FILE).decode().splitlines()
        keys = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        identities = [_age().x25519.Identity.from_str(key) for key in keys]
    except OSError as error:
        raise BadInput(f"{path}: the identity cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, _age().IdentityError):
        identities = []
    if not identities:
        raise BadInput(f"{path}: holds no identity of age as age-keygen writes it (AGE-SECRET-KEY-1...)")
    return identities


def _recipient(text: str) -> Any:
    if text.startswith("AGE-SECRET-KEY-"):
        raise ValueError("this is an identity, which must stay secret: give its public key (age1...)")
    try:
        return _age().x25519.Recipient.from_str(text)
    except _age().RecipientError as error:
        raise ValueError(f"{text}: is no public key of age, as age-keygen prints it (age1...): {error}") from error


def _age() -> Any:
    """Return the library. It is imported late, because only encrypted runs need it."""
    import pyrage

    return pyrage
