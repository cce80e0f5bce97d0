"""Ray's tokens: which one a Ray of our own has, and which one a cluster is shown.

Ray 2.60 turns tokens on for every local Ray, and keeps the token in ``~/.ray/auth_token``, where a later ``ray start``
finds it and asks its nodes for it. So a Ray of our own gets a token that lies in its own folder, and goes with it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from ray._raylet import AuthenticationTokenLoader, Config  # type: ignore[attr-defined]

from manyhands.protocol import private

Mode = Literal["disabled", "token"]

MODE = "RAY_AUTH_MODE"
TOKEN = "RAY_AUTH_TOKEN"
TOKEN_PATH = "RAY_AUTH_TOKEN_PATH"
OWN_FILE = "auth_token"


def mode_asked() -> str | None:
    """What the environment says of tokens; None where it leaves that to Ray."""
    return os.environ.get(MODE)


def has_token() -> bool:
    """Whether Ray will find a token where it looks."""
    return TOKEN in os.environ or Path(where_token()).expanduser().is_file()


def where_token() -> str:
    """Where Ray looks for a token: in the environment, in a file that it names, and else in the home folder."""
    if TOKEN in os.environ:
        return TOKEN
    return os.environ.get(TOKEN_PATH) or "~/.ray/auth_token"


@contextmanager
def own_token(folder: Path) -> Iterator[None]:
    """What is started meanwhile shares a token that lies in ``folder``, unless the environment names one, or none."""
    if mode_asked() not in (None, "token") or TOKEN in os.environ or TOKEN_PATH in os.environ:
        yield
        return
    path = folder / OWN_FILE
    private.write_text(path, secrets.token_hex(32))
    with environment({MODE: "token", TOKEN_PATH: str(path)}):
        reread()
        yield


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Variables of this process, and of those that it starts, for as long as the context is open."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def reread() -> None:
    """Make Ray's native part, which remembers both, read again whether there are tokens and which."""
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()
