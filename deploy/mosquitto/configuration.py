"""Write the configuration of mosquitto from a template, and manage the broker's folder."""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import os
import random
import secrets
import shutil
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template

from manyhands.deploy.mosquitto.access import Access, Authority, Kind, Pair
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities import secure_files

APT_LINE = "apt-get install mosquitto openssl"
LOOPBACK = "127.0.0.1"
MAX_CONNECTIONS = 4000
_PORTS = range(20_000, 32_000)
"""Ports for brokers. They lie below the ports that systems give to outgoing connections."""
_PLUGIN = "mosquitto_dynamic_security.so"
_PROGRAMS = "/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin"
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/lib")


@dataclass(frozen=True, slots=True)
class BrokerListener:
    """Hold an address at which a broker listens. ``certificates``: users show certificates there, not passwords."""

    host: str
    port: int
    certificates: bool = False


@dataclass(frozen=True, slots=True)
class Listening:
    """Hold all listeners of a broker, and the ``hosts`` that its certificate names; no hosts means no TLS."""

    listeners: tuple[BrokerListener, ...]
    hosts: tuple[str, ...]

    def url(self, listener: BrokerListener) -> str:
        """Return the address to which clients connect."""
        host = self.hosts[0] if self.hosts else listener.host
        host = f"[{host}]" if ":" in host else host
        return f"{'mqtts' if self.hosts else 'mqtt'}://{host}:{listener.port}"


@dataclass(frozen=True, slots=True)
class Program:
    """Hold the paths of the installed mosquitto and of its dynamic security plugin."""

    path: str
    plugin: str


@dataclass(frozen=True, slots=True)
class Credentials:
    """Hold the name and files of a site or user. ``environment`` sets the variables with name and password."""

    name: str
    environment: Path
    certificate: Pair | None


USER_VARIABLE = "MQTT_USER"
PASSWORD_VARIABLE = "MQTT_PASSWORD"


def find_program(name: str | None = None) -> Program:
    """Return the installed mosquitto, or the one at a path. Raises BadInput with the line that installs it."""
    path = shutil.which(name or "mosquitto") or (None if name else shutil.which("mosquitto", path=_PROGRAMS))
    if path is None:
        raise BadInput(f"{name or 'mosquitto'} is not there: {APT_LINE}")
    for folder in map(Path, _LIBRARIES):
        for plugin in (*folder.glob(_PLUGIN), *folder.glob(f"*/{_PLUGIN}")):
            return Program(path, str(plugin))
    raise BadInput(f"{path} has no {_PLUGIN} beside it, which mosquitto 2.0 and later bring: {APT_LINE}")


class BrokerFolder:
    """Hold the files of a broker: authority, certificates, users, passwords, retained messages.

    Several processes may change the folder. Each of them reads, changes and writes while it holds the folder's lock.
    """

    def __init__(self, folder: Path) -> None:
        """Make the folder if it does not exist. Raises OSError, ManyhandsError."""
        secure_files.make_folder(folder)
        self.path = folder
        self.authority = Authority(folder / "certificates")
        self._access = Access(folder / "access.json")

    @property
    def access_file(self) -> Path:
        """Return the file that changes whenever sites or users change."""
        return self.path / "access.json"

    @property
    def ca(self) -> Path:
        """Return the certificate by which clients trust the broker."""
        return self.authority.pair.cert

    def clients_of(self, kind: Kind) -> tuple[str, ...]:
        """Return the names of the sites, or of the users of the cluster."""
        return self._access.clients_of(kind)

    def add(self, kind: Kind, *names: str) -> None:
        """Admit sites or users of the cluster. Known ones keep their passwords. Raises BadInput, OSError."""
        self.add_all({kind: names})

    def add_all(self, names: Mapping[Kind, Sequence[str]]) -> None:
        """Admit sites and users of the cluster: all, or none if one is refused. Raises what ``add`` raises."""
        passwords: dict[str, str] = {}
        with self._changing() as access:
            for kind, of_kind in names.items():
                for name in of_kind:
                    if name not in access.clients_of(kind) or not self._environment(name).is_file():
                        passwords[name] = secrets.token_urlsafe(24)
                        access.add(name, kind, passwords[name])
            for name, password in passwords.items():
                environment = self._environment(name)
                secure_files.make_folder(environment.parent)
                secure_files.replace_text(environment, f"{USER_VARIABLE}={name}\n{PASSWORD_VARIABLE}={password}\n")

    def remove(self, *names: str) -> None:
        """Stop admitting sites or users, from the broker's next start on. Raises BadInput, OSError."""
        with self._changing() as access:
            unknown = [name for name in names if name not in access]
            if unknown:
                raise BadInput(f"{', '.join(unknown)}: there is no such site or user")
            for name in names:
                access.remove(name)
                self._environment(name).unlink(missing_ok=True)
                self.authority.forget(name)

    def credentials(self, name: str, by_certificate: bool = False) -> Credentials:
        """Return what a site or user needs to connect. Its certificate is made when it is first needed."""
        certificate = None
        if by_certificate:
            with self._locked():
                certificate = self.authority.for_user(name)
        return Credentials(name, self._environment(name), certificate)

    def password(self, name: str) -> str:
        """Return a site's or user's password. Raises OSError."""
        lines = dict(line.split("=", 1) for line in self._environment(name).read_text().splitlines())
        return lines[PASSWORD_VARIABLE]

    def write(self, program: Program, listening: Listening) -> Path:
        """Write the configuration and return its path. Raises BadInput, ManyhandsError, OSError."""
        with self._changing():  # rewrites the rights, which another version may have written in another way
            pair = self.authority.for_server(listening.hosts) if listening.hosts else None
        secure_files.make_folder(self.path / "data")
        template = resources.files(__package__).joinpath("mosquitto.conf.template").read_text(encoding="utf-8")
        text = Template(template).substitute(
            user=getpass.getuser(),  # started as root, mosquitto would change to a user who cannot read the folder
            plugin=program.plugin,
            access=self.access_file,
            data=self.path / "data",
            listeners="\n".join(self._listener(one, pair) for one in listening.listeners),
        )
        path = self.path / "mosquitto.conf"
        secure_files.replace_text(path, text)
        return path

    @contextmanager
    def served(self) -> Iterator[None]:
        """Lock the folder for the one broker that serves it.

        Raises OSError, and BadInput if another broker has the lock.
        """
        file = os.open(self.path / "serving.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, secure_files.FILE_MODE)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise BadInput(
                    f"another broker serves {self.path}: stop it, or give another --folder; "
                    "'manyhands broker add-site' lets a site in while it runs"
                ) from error
            yield
        finally:
            os.close(file)

    @contextmanager
    def _changing(self) -> Iterator[Access]:
        """Yield the present users, which the body may change. Write them afterwards, unless the body raises."""
        with self._locked():
            access = Access(self.access_file)
            yield access
            access.write()
        self._access = access

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the folder while it is changed. Others wait."""
        file = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, secure_files.FILE_MODE)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)

    def _environment(self, name: str) -> Path:
        return self.path / "credentials" / f"{name}.env"

    def _listener(self, listener: BrokerListener, pair: Pair | None) -> str:
        # These two must follow a listener line. Before the first one, they would open port 1883 on all addresses,
        # without TLS.
        limits = [f"max_connections {MAX_CONNECTIONS}", "max_qos 1"]
        lines = [f"listener {listener.port} {listener.host}", "protocol mqtt", *limits]
        if pair is not None:
            lines += [f"certfile {pair.cert}", f"keyfile {pair.key}", "tls_version tlsv1.2"]
        if listener.certificates:
            lines += [f"cafile {self.ca}", "require_certificate true", "use_identity_as_username true"]
        return "\n".join([*lines, ""])


def free_port(host: str = LOOPBACK) -> int:
    """Return a port at which nobody listens, and which the system gives to no outgoing connection.

    Raises BadInput if no port is free, or if the address is not of this machine.
    """
    for port in random.sample(_PORTS, 50):
        with contextlib.suppress(OSError), socket.create_server((host, port), family=_family(host)):
            return port
    raise BadInput(f"no port of {host} is free: give an address of this machine, or a port")


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
