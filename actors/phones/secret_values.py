"""Read the values of secrets on this host. No error tells a value, or a part of one."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Mapping
from pathlib import Path

from manyhands.protocol.errors import BadInput
from manyhands.protocol.secrets import VARIABLE_PREFIX, Secret

SHORTEST, LONGEST = 4, 1000
"""The least and most characters of a value. A shorter one would be found, and masked, in many other texts."""


class SecretUnavailable(BadInput):
    """Signal that a secret has no usable value here, or that nobody has declared it."""

    code = "secret_unavailable"


def read_secret(name: str, declared: Mapping[str, Secret]) -> str:
    """Return the value of a secret. Blocks. Raises SecretUnavailable."""
    if name not in declared:
        others = ", ".join(sorted(declared)) or "none"
        raise SecretUnavailable(f"secret {name}: nobody has declared it where the phone is (secrets: {others})")
    secret = declared[name]
    try:
        if secret.file is not None:
            value = _read_file(secret.file.expanduser())
        elif secret.keyring is not None:
            value = _read_keyring(*secret.keyring.split("/", 1))
        else:
            value = _read_variable(secret.env or VARIABLE_PREFIX + name.upper().replace("-", "_"))
        if not SHORTEST <= len(value) <= LONGEST:
            raise SecretUnavailable(f"a value has {SHORTEST} to {LONGEST} characters, and this one {len(value)}")
        if not value.isprintable():
            raise SecretUnavailable("its value has a character that cannot be typed, such as a line break")
    except SecretUnavailable as error:
        raise SecretUnavailable(f"secret {name}: {error}") from None
    return value


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


def _read_variable(variable: str) -> str:
    if variable not in os.environ:
        raise SecretUnavailable(f"the environment variable {variable} is not set where the phone's gateway runs")
    return os.environ[variable]


def _read_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_IMODE(status.st_mode) & 0o077:
                raise SecretUnavailable(f"others may read {path}: chmod 600 {path}")
            data = file.read(4 * LONGEST + 2)
    except OSError as error:
        raise SecretUnavailable(f"{path} cannot be read: {error.strerror}") from None
    try:
        return data.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise SecretUnavailable(f"{path} is no UTF-8 text") from None


def _read_keyring(service: str, user: str) -> str:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise SecretUnavailable("the library is missing: pip install 'manyhands[keyring]'") from None
    try:
        value: str | None = keyring.get_password(service, user)
    except KeyringError as error:
        raise SecretUnavailable(f"the keyring does not answer ({type(error).__name__}): unlock it") from None
    if value is None:
        raise SecretUnavailable(f"the keyring has no {service}/{user}: keyring set {service} {user}")
    return value
