"""Handle Ray's authentication tokens: for a local Ray, and for joining a cluster.

Ray 2.60 turns tokens on for every local Ray and keeps the token in ``~/.ray/auth_token``. A later ``ray start`` would
find that token and ask its own nodes for it. So a local Ray gets its token in a private folder, which is removed
together with that Ray.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from ray._raylet import AuthenticationTokenLoader, Config  # type: ignore[attr-defined]

from manyhands.protocol.utilities import secure_files

Mode = Literal["disabled", "token"]

MODE = "RAY_AUTH_MODE"
TOKEN = "RAY_AUTH_TOKEN"
TOKEN_PATH = "RAY_AUTH_TOKEN_PATH"
OWN_FILE = "auth_token"


def has_token() -> bool:
    """Return whether Ray will find a token."""
    return TOKEN in os.environ or Path(where_token()).expanduser().is_file()


def where_token() -> str:
    """Return where Ray looks for a token: the environment, a file that the environment names, or the home folder."""
    if TOKEN in os.environ:
        return TOKEN
    return os.environ.get(TOKEN_PATH) or "~/.ray/auth_token"


@contextmanager
def own_token(folder: Path) -> Iterator[None]:
    """Give a Ray that is started meanwhile a token in ``folder``, unless the environment sets a token or a mode."""
    if os.environ.get(MODE) not in (None, "token") or TOKEN in os.environ or TOKEN_PATH in os.environ:
        yield
        return
    path = folder / OWN_FILE
    secure_files.write_text(path, secrets.token_hex(32))
    with environment({MODE: "token", TOKEN_PATH: str(path)}):
        reread()
        yield


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables while the context is open."""
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
    """Make Ray's native part read the token settings again. Otherwise it keeps the mode and the token."""
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()
