"""The configuration of mosquitto, made from a template, and the folder that it lies in."""

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

from manyhands.deploy.mosquitto.access import Access, Kind
from manyhands.deploy.mosquitto.certificates import Authority, Pair
from manyhands.protocol import secure_files
from manyhands.protocol.errors import BadInput

APT_LINE = "apt-get install mosquitto openssl"
LOOPBACK = "127.0.0.1"
MAX_CONNECTIONS = 4000
_PORTS = range(20_000, 32_000)
"""Below those that systems give to outgoing connections."""
_PLUGIN = "mosquitto_dynamic_security.so"
_PROGRAMS = "/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin"
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/opt/homebrew/lib")


@dataclass(frozen=True, slots=True)
class BrokerListener:
    """Say where a broker listens. ``certificates``: users show certificates there in place of passwords."""

    host: str
    port: int
    certificates: bool = False


@dataclass(frozen=True, slots=True)
class Listening:
    """Hold all listeners of a broker, and the ``hosts`` that its certificate names: none without TLS."""

    listeners: tuple[BrokerListener, ...]
    hosts: tuple[str, ...]

    def url(self, listener: BrokerListener) -> str:
        """Return the address that clients connect to."""
        host = self.hosts[0] if self.hosts else listener.host
        host = f"[{host}]" if ":" in host else host
        return f"{'mqtts' if self.hosts else 'mqtt'}://{host}:{listener.port}"


@dataclass(frozen=True, slots=True)
class Program:
    """Name the installed mosquitto and its plugin for dynamic security."""

    path: str
    plugin: str


@dataclass(frozen=True, slots=True)
class Credentials:
    """Name what a site or user connects with. The file has the two variables that commands are told by name."""

    name: str
    environment: Path
    certificate: Pair | None


USER_VARIABLE = "MQTT_USER"
PASSWORD_VARIABLE = "MQTT_PASSWORD"


def find_program(given: str | None = None) -> Program:
    """Return the installed mosquitto, or the one at a path. Raises BadInput with the line that installs it."""
    path = shutil.which(given or "mosquitto") or (None if given else shutil.which("mosquitto", path=_PROGRAMS))
    if path is None:
        raise BadInput(f"{given or 'mosquitto'} is not there: {APT_LINE}")
    for folder in map(Path, _LIBRARIES):
        for found in (*folder.glob(_PLUGIN), *folder.glob(f"*/{_PLUGIN}")):
            return Program(path, str(found))
    raise BadInput(f"{path} has no {_PLUGIN} beside it, which mosquitto 2.0 and later bring: {APT_LINE}")


class BrokerFolder:
    """Hold all that a broker keeps: authority, certificates, users, passwords, what it has retained.

    Any number of processes may change it: each reads, changes and writes while it alone has the folder's lock.
    """

    def __init__(self, folder: Path) -> None:
        """Make the folder where it is missing. Raises OSError, ManyhandsError."""
        secure_files.make_folder(folder)
        self.path = folder
        self.authority = Authority(folder / "certificates")
        self._access = Access(folder / "access.json")

    @property
    def access_file(self) -> Path:
        """Return the file that changes when sites or users do."""
        return self.path / "access.json"

    @property
    def ca(self) -> Path:
        """Return the certificate by which clients know the broker."""
        return self.authority.pair.cert

    def clients_of(self, kind: Kind) -> tuple[str, ...]:
        """Return the sites, or the users of the cluster."""
        return self._access.clients_of(kind)

    def add(self, kind: Kind, *names: str) -> None:
        """Let sites or users of the cluster in; who is there keeps the password. Raises BadInput, OSError."""
        self.add_all({kind: names})

    def add_all(self, names: Mapping[Kind, Sequence[str]]) -> None:
        """Let sites and users of the cluster in: all of them, or none where one is refused. Raises as ``add`` does."""
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
        """Let sites or users in no more, from the broker's next start on. Raises BadInput, OSError."""
        with self._changing() as access:
            unknown = [name for name in names if name not in access]
            if unknown:
                raise BadInput(f"{', '.join(unknown)}: there is no such site or user")
            for name in names:
                access.remove(name)
                self._environment(name).unlink(missing_ok=True)
                self.authority.forget(name)

    def credentials(self, name: str, by_certificate: bool = False) -> Credentials:
        """Return what a site or user connects with; a certificate of its own is made at the first need."""
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
        with self._changing():  # who was let in meanwhile stays; rights may be others than another version wrote
            pair = self.authority.for_server(listening.hosts) if listening.hosts else None
        secure_files.make_folder(self.path / "data")
        template = resources.files(__package__).joinpath("mosquitto.conf.template").read_text(encoding="utf-8")
        text = Template(template).substitute(
            user=getpass.getuser(),  # as root mosquitto would otherwise change to a user that cannot read the folder
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
        """Lock the folder for the one broker that serves it. Raises BadInput where another one does, OSError."""
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
        """Give the users as they are now to be changed, and write them unless that raises."""
        with self._locked():
            access = Access(self.access_file)
            yield access
            access.write()
        self._access = access

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep others from changing the folder: they wait."""
        file = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, secure_files.FILE_MODE)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)

    def _environment(self, name: str) -> Path:
        return self.path / "credentials" / f"{name}.env"

    def _listener(self, listener: BrokerListener, pair: Pair | None) -> str:
        # Said before the first listener, these two would open another one: port 1883 of all addresses, without TLS.
        limits = [f"max_connections {MAX_CONNECTIONS}", "max_qos 1"]
        lines = [f"listener {listener.port} {listener.host}", "protocol mqtt", *limits]
        if pair is not None:
            lines += [f"certfile {pair.cert}", f"keyfile {pair.key}", "tls_version tlsv1.2"]
        if listener.certificates:
            lines += [f"cafile {self.ca}", "require_certificate true", "use_identity_as_username true"]
        return "\n".join([*lines, ""])


def free_port(host: str = LOOPBACK) -> int:
    """Return a port that nothing listens at now, and that no outgoing connection is given before we do.

    Raises BadInput where there is none, or no such address.
    """
    for port in random.sample(_PORTS, 50):
        with contextlib.suppress(OSError), socket.create_server((host, port), family=_family(host)):
            return port
    raise BadInput(f"no port of {host} is free: give an address of this machine, or a port")


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
