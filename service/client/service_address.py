"""Find the service to use and the token for it: from arguments, the environment, or the file of ``manyhands login``."""

from __future__ import annotations

import ipaddress
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from manyhands.protocol.base import Message
from manyhands.protocol.errors import BadInput, explain, store_error
from manyhands.protocol.utilities import secure_files

SERVER_VARIABLE, TOKEN_VARIABLE, CA_VARIABLE = "MANYHANDS_SERVER", "MANYHANDS_TOKEN", "MANYHANDS_CA"
FILE = "logins.json"
USER_FOLDER = Path("~/.local/state/manyhands")
"""The folder of a user's files, which gateways use as well. A client has none of the libraries of gateways."""


@dataclass(frozen=True, slots=True)
class ServiceAddress:
    """Name a service, and what a client needs to be let in."""

    url: str
    """For example ``http://127.0.0.1:8008``, without a slash at the end."""
    token: str | None = field(default=None, repr=False)
    """The secret of a token; None if none is known. The service refuses most requests then."""
    ca: Path | None = None
    """A file of certificates that sign the service's own; None for those that the system trusts."""

    @property
    def is_loopback(self) -> bool:
        """Return whether the service is on this machine. Such a service is never reached by a proxy."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")


class SavedLogin(Message):
    """Hold what ``manyhands login`` stores for one service."""

    token: str = Field(repr=False)
    ca: Path | None = None


class LoginFile(Message):
    """Hold the logins of this user. The file is readable by its owner alone, because it has secrets."""

    servers: dict[str, SavedLogin] = Field(default_factory=dict)
    """Logins by the service's URL. A token is sent to its own service only."""
    last: str | None = None
    """The URL of the last login. It is used if nothing names a service."""

    @staticmethod
    def path(environment: Mapping[str, str] = os.environ) -> Path:
        """Return where the file is: in the folder that ``MANYHANDS_STATE_DIR`` names."""
        return (Path(environment.get("MANYHANDS_STATE_DIR") or USER_FOLDER) / FILE).expanduser()

    @classmethod
    def read(cls, path: Path) -> LoginFile:
        """Return what is stored; nothing if there is no file. Raises BadInput for a file that cannot be used."""
        try:
            if stat.S_IMODE(path.stat().st_mode) & ~secure_files.FILE_MODE:
                raise BadInput(f"{path}: others may read the tokens in it; first run: chmod 600 {path}")
            return cls.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return cls()
        except OSError as error:
            raise store_error(error, f"{path} cannot be read") from error
        except ValidationError as error:
            raise BadInput(f"{path}: {explain(error, cls)}. Delete it, and log in again") from None

    def save(self, path: Path) -> None:
        """Write the file, readable by its owner alone. Raises StoreError."""
        try:
            secure_files.make_folder(path.parent)
            secure_files.replace_text(path, self.model_dump_json(indent=2) + "\n")
        except OSError as error:
            raise store_error(error, f"{path} cannot be written") from error

    def with_login(self, url: str, login: SavedLogin) -> LoginFile:
        """Return these logins with another one, which is used from now on if nothing names a service."""
        return LoginFile(servers={**self.servers, url: login}, last=url)

    def without_login(self, url: str) -> LoginFile:
        """Return these logins without the one for a service. Raises BadInput if there is none."""
        if url not in self.servers:
            raise BadInput(f"{url}: there is no login for it; there are: {', '.join(self.servers) or 'none'}")
        rest = {address: login for address, login in self.servers.items() if address != url}
        return LoginFile(servers=rest, last=self.last if self.last in rest else next(iter(rest), None))


def find_address(
    server: str | None = None,
    token: str | None = None,
    ca: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> ServiceAddress:
    """Return the service to use. Raises BadInput if nothing names one.

    What is given comes first, then the environment, then the file of ``manyhands login``. If the environment names
    another service than ``server``, its token and its certificates are not used, because they belong to that service.
    """
    named = environment.get(SERVER_VARIABLE) or None
    logins = LoginFile() if server and token else LoginFile.read(LoginFile.path(environment))
    target = server or named or logins.last
    if target is None:
        raise BadInput(
            "no service is known: start one (manyhands serve), then log in (manyhands login URL), "
            f"or name it by --server URL or {SERVER_VARIABLE}"
        )
    url = normalise_url(target)
    login = logins.servers.get(url)
    if named is None or normalise_url(named) == url:
        token = token or environment.get(TOKEN_VARIABLE) or None
        ca = ca or _path(environment.get(CA_VARIABLE))
    if login is not None:
        token, ca = token or login.token, ca or login.ca
    return ServiceAddress(url, token, ca)


def normalise_url(text: str) -> str:
    """Return a service's URL in the form by which logins are found. Raises BadInput for what is no such URL."""
    help = "write it as http://HOST:PORT or https://HOST:PORT"
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        raise BadInput(f"{text.rpartition('@')[2]}: {error}; {help}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{text.rpartition('@')[2]} is no address of a service: {help}")
    if parts.username is not None or parts.query or parts.fragment:
        raise BadInput(f"{parts.scheme}://{parts.hostname}: an address of a service has no user, '?' or '#': {help}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{parts.path.rstrip('/')}"


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None
