"""Declare secrets: where the value of each one is, and where a phone may be told it (docs/secrets.md).

Goals, prompts, actions, journals and messages hold the name alone, as ``{{secret:NAME}}``. The gateway of the phone
reads the value on its own host, when it is typed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from manyhands.protocol.public_input import PublicInput

PLACEHOLDER = re.compile(r"\{\{\s*secret\s*:\s*([A-Za-z0-9_-]+)\s*\}\}")
"""Matches what stands for a secret in a goal, in hints and in the text of an action."""
VARIABLE_PREFIX = "MANYHANDS_SECRET_"
"""Begins the environment variables with values."""
SECRETS = "phone://secrets"
"""The address in a phone's state that holds the declared secrets by name, each with why it has no value, or nothing."""


def secret_names(*texts: str) -> frozenset[str]:
    """Return the names of the secrets that texts name."""
    return frozenset(name for text in texts for name in PLACEHOLDER.findall(text))


def placeholder(name: str) -> str:
    """Return what stands for a secret in texts."""
    return f"{{{{secret:{name}}}}}"


def _from_anywhere(path: Path) -> Path:
    if not path.expanduser().is_absolute():
        raise ValueError("write the whole path, from / or ~ on")
    return path


class Secret(PublicInput):
    """Say where a secret's value is, on the host of the phone's gateway, and where it may be typed.

    Of ``env``, ``file`` and ``keyring`` one is given, or none.
    """

    model_config = ConfigDict(use_attribute_docstrings=True)

    env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """The environment variable with the value; `MANYHANDS_SECRET_NAME` if no source is given."""
    file: Annotated[Path, AfterValidator(_from_anywhere)] | None = None
    """The file with the value, of mode 0600. A line break at its end does not count."""
    keyring: str | None = Field(default=None, pattern=r"^[^/]+/.+$")
    """The service and the user in the system's keyring, as `SERVICE/USER`."""
    apps: tuple[str, ...] = Field(min_length=1)
    """The apps in which it may be typed, by package, or by a name that one app alone has."""
    allow_fields: tuple[str, ...] = ()
    """Fields in which it may be typed besides passwords' fields, by the last part of their resource id."""
    allow_broadcast: bool = False
    """Type characters beyond ASCII by ADBKeyboard. Reports of the phone (`dumpsys`) keep the text for a while."""

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if sum(source is not None for source in (self.env, self.file, self.keyring)) > 1:
            raise ValueError("give one of 'env', 'file' and 'keyring'")
        return self


SecretName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,50}$")]
