"""Read the values of secrets on this host. No error tells a value, or a part of one."""

from __future__ import annotations

import os
import resource
import stat
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from manyhands.protocol.errors import BadInput
from manyhands.protocol.secrets import VARIABLE_PREFIX, Secret

SHORTEST, LONGEST = 4, 1000
"""The least and most characters of a value. A shorter one would be found, and masked, in many other texts."""
KEYRING_S = 10.0
"""Seconds in which a keyring must answer."""
_ASKS_KEYRING = threading.Lock()
"""Held while a keyring is asked, so that at most one thread hangs."""


class SecretUnavailable(BadInput):
    """Signal that a secret has no usable value here, or that nobody has declared it."""

    code = "secret_unavailable"


def read_secret(name: str, declared: Mapping[str, Secret]) -> str:
    """Return the value of a secret. Blocks. Raises SecretUnavailable."""
    with _name_in_errors(name):
        secret = _find(name, declared)
        if secret.file is not None:
            value = _read_file(secret.file.expanduser())
        elif secret.keyring is not None:
            value = _read_keyring(*secret.keyring.split("/", 1))
        else:
            value = os.environ[_variable_of(name, secret)]
        if not SHORTEST <= len(value) <= LONGEST:
            raise SecretUnavailable(f"a value has {SHORTEST} to {LONGEST} characters, and this one {len(value)}")
        if not value.isprintable():
            raise SecretUnavailable("its value has a character that cannot be typed, such as a line break")
    return value


def check_source(name: str, declared: Mapping[str, Secret]) -> None:
    """Raise SecretUnavailable if a secret can have no value here. Blocks.

    The value is not read: no process has it that only asks. A keyring is not asked either.
    """
    with _name_in_errors(name):
        secret = _find(name, declared)
        if secret.file is not None:
            with _open_private(secret.file.expanduser()):
                pass
        elif secret.keyring is None:
            _variable_of(name, secret)


def read_secrets(names: Iterable[str], declared: Mapping[str, Secret]) -> Mapping[str, str]:
    """Return the values of secrets by name. Blocks. Raises SecretUnavailable."""
    return {name: read_secret(name, declared) for name in names}


def find_problems(declared: Mapping[str, Secret]) -> dict[str, str]:
    """Return for each declared secret why it has no usable value here; an empty text if it has one. Blocks."""
    problems = dict.fromkeys(declared, "")
    for name in declared:
        try:
            read_secret(name, declared)
        except SecretUnavailable as error:
            problems[name] = str(error)
    return problems


def leave_no_core() -> None:
    """Let this process leave no core dump, which would hold values. One byte also forbids one that a program gets."""
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0 if hard == 0 else 1, hard))


@contextmanager
def _name_in_errors(name: str) -> Iterator[None]:
    """Name the secret in errors."""
    try:
        yield
    except SecretUnavailable as error:
        raise SecretUnavailable(f"secret {name}: {error}") from None


def _find(name: str, declared: Mapping[str, Secret]) -> Secret:
    if name not in declared:
        others = ", ".join(sorted(declared)) or "none"
        raise SecretUnavailable(f"nobody has declared it where the phone is (secrets: {others})")
    return declared[name]


def _variable_of(name: str, secret: Secret) -> str:
    """Return the environment variable that holds a secret. Raises SecretUnavailable if it is not set."""
    variable = secret.env or VARIABLE_PREFIX + name.upper().replace("-", "_")
    if variable not in os.environ:
        raise SecretUnavailable(f"the environment variable {variable} is not set where the phone's gateway runs")
    return variable


@contextmanager
def _open_private(path: Path) -> Iterator[BinaryIO]:
    """Open a file that others may not read. Raises SecretUnavailable."""
    try:
        with path.open("rb") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
                raise SecretUnavailable(f"others may read {path}: chmod 600 {path}")
            yield file
    except OSError as error:
        raise SecretUnavailable(f"{path} cannot be read: {error.strerror}") from None


def _read_file(path: Path) -> str:
    with _open_private(path) as file:
        data = file.read(4 * LONGEST + 2)
    try:
        return data.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise SecretUnavailable(f"{path} is no UTF-8 text") from None


def _read_keyring(service: str, user: str) -> str:
    """Return a value from the keyring, which may ask its owner for a password and then wait for ever."""
    slow = SecretUnavailable(f"the keyring has not answered for {KEYRING_S:g} s: unlock it, or use a file")
    if not _ASKS_KEYRING.acquire(timeout=KEYRING_S):
        raise slow
    answer: Future[str | None] = Future()
    threading.Thread(target=_ask_keyring, args=(service, user, answer), name="keyring", daemon=True).start()
    try:
        value = answer.result(KEYRING_S)
    except TimeoutError:
        raise slow from None
    except ImportError:
        raise SecretUnavailable("the library is missing: pip install 'manyhands[keyring]'") from None
    except Exception as error:  # noqa: BLE001 - backends raise errors of their own, whose texts nobody knows
        raise SecretUnavailable(f"the keyring does not answer ({type(error).__name__}): unlock it") from None
    if value is None:
        raise SecretUnavailable(f"the keyring has no {service}/{user}: keyring set {service} {user}")
    return value


def _ask_keyring(service: str, user: str, answer: Future[str | None]) -> None:
    """Ask the keyring on a thread that may hang. The library opens the keyring as soon as it is imported."""
    try:
        import keyring

        answer.set_result(keyring.get_password(service, user))
    except Exception as error:  # noqa: BLE001 - ``answer`` raises it
        answer.set_exception(error)
    finally:
        _ASKS_KEYRING.release()
