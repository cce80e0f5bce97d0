"""Decide who may use a broker: run a certificate authority, and limit the topics that each user may publish and hear.

The command ``openssl`` signs the certificates. The topics go into the file of mosquitto's dynamic security plugin. The
plugin refuses a forbidden subscription explicitly, in MQTT 5 and in 3.1.1. With an ``acl_file``, mosquitto 2.0 would
accept every subscription and then deliver nothing. We write the file, and mosquitto reads it at its start. No user may
change it over MQTT.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import json
import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from manyhands.protocol.edge.topics import NAME, ROOT, Topics
from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.utilities import secure_files

AUTHORITY_DAYS = 3650
SIGNED_DAYS = 825
RENEWED_S = 30 * 86400
"""Seconds before its end at which a certificate is renewed."""
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
# Python 3.13 refuses an authority whose certificate does not state its key usage.
_AUTHORITY = (
    "basicConstraints=critical,CA:TRUE",
    "keyUsage=critical,keyCertSign,cRLSign",
    "subjectKeyIdentifier=hash",
)
_SIGNED = (
    "basicConstraints=critical,CA:FALSE",
    "keyUsage=critical,digitalSignature",
    "subjectKeyIdentifier=hash",
    "authorityKeyIdentifier=keyid",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Name the files of a certificate and its key."""

    cert: Path
    key: Path


class Authority:
    """Sign certificates with a key in ``folder``. The key is made when it is first needed."""

    def __init__(self, folder: Path, name: str = "Manyhands broker") -> None:
        """Use ``ca.crt`` and ``ca.key`` in the folder."""
        self._folder = folder
        self._name = name
        self.pair = Pair(folder / "ca.crt", folder / "ca.key")

    def make(self) -> None:
        """Make the authority's certificate if there is none. Raises BadInput, ManyhandsError, OSError."""
        if self.pair.cert.is_file() and self.pair.key.is_file():
            return
        secure_files.make_folder(self._folder)
        _openssl(
            *("req", "-x509", *_KEY, "-days", str(AUTHORITY_DAYS), "-subj", f"/CN={self._name}"),
            *(word for line in _AUTHORITY for word in ("-addext", line)),
            *("-keyout", str(self.pair.key), "-out", str(self.pair.cert)),
        )

    def for_server(self, hosts: Sequence[str], days: int = SIGNED_DAYS) -> Pair:
        """Return the server's certificate for these host names and addresses. A certificate for others is replaced."""
        names = ",".join(f"IP:{host}" if _is_address(host) else f"DNS:{host}" for host in hosts)
        return self._signed("server", hosts[0], (f"subjectAltName={names}", "extendedKeyUsage=serverAuth"), days)

    def for_user(self, name: str, days: int = SIGNED_DAYS) -> Pair:
        """Return a certificate for a user. The broker identifies the user by the name in it."""
        return self._signed(f"user-{name}", name, ("extendedKeyUsage=clientAuth",), days)

    def forget(self, name: str) -> None:
        """Delete a user's certificate. Copies of it stay valid, but the broker then knows no such user."""
        for kind in ("crt", "key", "ext"):
            (self._folder / f"user-{name}.{kind}").unlink(missing_ok=True)

    def _signed(self, file: str, subject: str, lines: Sequence[str], days: int) -> Pair:
        self.make()
        pair = Pair(self._folder / f"{file}.crt", self._folder / f"{file}.key")
        content = "\n".join([f"# {subject}", *_SIGNED, *lines, ""])
        about = self._folder / f"{file}.ext"
        if pair.key.is_file() and about.is_file() and about.read_text() == content and _lasts(pair.cert):
            return pair
        with tempfile.TemporaryDirectory() as scratch:
            request, certificate = Path(scratch) / "request", Path(scratch) / "made"
            extensions = Path(scratch) / "extensions"
            extensions.write_text(content)
            _openssl("req", "-new", *_KEY, "-subj", f"/CN={subject}", "-keyout", str(pair.key), "-out", str(request))
            _openssl(
                *("x509", "-req", "-in", str(request), "-out", str(certificate), "-days", str(days)),
                *("-CA", str(self.pair.cert), "-CAkey", str(self.pair.key), "-extfile", str(extensions)),
                *("-CAserial", str(self._folder / "ca.srl"), "-CAcreateserial"),
            )
            secure_files.write_bytes(pair.cert, certificate.read_bytes())
        secure_files.write_text(about, content)
        return pair


def _lasts(cert: Path) -> bool:
    command = ["openssl", "x509", "-in", str(cert), "-noout", "-checkend", str(RENEWED_S)]
    return cert.is_file() and subprocess.run(command, capture_output=True, check=False).returncode == 0


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _openssl(*arguments: str) -> None:
    """Run openssl. Only the owner can read the files that it makes."""
    if shutil.which("openssl") is None:
        raise BadInput("certificates are made by openssl, which is missing: apt-get install openssl")
    process = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False, umask=0o077)
    if process.returncode:
        last = (process.stderr.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
        raise ManyhandsError(f"openssl {arguments[0]} failed: {last}")


Kind = Literal["site", "cluster"]
ITERATIONS = 20_000
"""Rounds of the password hash. A few are enough, because the passwords are random and have 192 bits."""
_NAME = re.compile(NAME)
_ANY = "any"


class Access:
    """Hold the users of a broker and their rights, in a file that only its owner can read."""

    def __init__(self, path: Path) -> None:
        """Read the file if it exists. Raises ManyhandsError for a damaged file."""
        self._path = path
        self._clients: dict[str, dict[str, Any]] = {}
        if path.is_file():
            try:
                clients = json.loads(path.read_text(encoding="utf-8"))["clients"]
                self._clients = {client["username"]: client for client in clients}
            except (ValueError, KeyError, TypeError) as error:
                problem = f"{path} is damaged ({error}); move it away, and add sites and users anew"
                raise ManyhandsError(problem) from error

    def clients_of(self, kind: Kind) -> tuple[str, ...]:
        """Return the names of the sites, or of the users of the cluster."""
        return tuple(name for name, client in self._clients.items() if client["roles"][0]["rolename"].startswith(kind))

    def __contains__(self, name: str) -> bool:
        return name in self._clients

    def add(self, name: str, kind: Kind, password: str) -> None:
        """Admit a site, or a user of the cluster, with a password that replaces an earlier one. Raises BadInput."""
        if not _NAME.fullmatch(name):
            raise BadInput(f"{name!r} cannot name a site or a user: 1 to 64 letters, digits, '-' and '_'")
        if name in self.clients_of("cluster" if kind == "site" else "site"):
            raise BadInput(f"{name} names a {'user' if kind == 'site' else 'site'} already; take another name")
        salt = secrets.token_bytes(12)
        digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, ITERATIONS)
        self._clients[name] = {
            "username": name,
            "roles": [{"rolename": f"{kind}-{name}"}],
            "password": base64.b64encode(digest).decode(),
            "salt": base64.b64encode(salt).decode(),
            "iterations": ITERATIONS,
        }

    def remove(self, name: str) -> None:
        """Stop admitting a site or user."""
        self._clients.pop(name, None)

    def write(self) -> None:
        """Write the file if its content changes, completely or not at all. Raises OSError."""
        roles = [_role(kind, name) for kind in get_args(Kind) for name in self.clients_of(kind)]
        none = {"publishClientSend": False, "publishClientReceive": False, "subscribe": False, "unsubscribe": True}
        value = {"defaultACLAccess": none, "clients": list(self._clients.values()), "groups": [], "roles": roles}
        text = json.dumps(value, indent=1)
        if not self._path.is_file() or self._path.read_text(encoding="utf-8") != text:
            secure_files.replace_text(self._path, text)


def _role(kind: Kind, name: str) -> dict[str, Any]:
    """Return the rights of a site or of a cluster user. Each side publishes what the other side hears."""
    topics = Topics(name if kind == "site" else _ANY)
    sent_by: dict[Kind, tuple[str, ...]] = {
        "site": (topics.replies("+"), topics.pictures("+"), topics.presence, topics.all_phone_states),
        "cluster": (topics.commands, topics.all_phone_commands),
    }
    rights = [
        {"acltype": right, "topic": topic if kind == "site" else _of_every_site(topic), "allow": True, "priority": 0}
        for sender, topics_of_it in sent_by.items()
        for right in (("publishClientSend",) if sender == kind else ("subscribePattern", "publishClientReceive"))
        for topic in topics_of_it
    ]
    return {"rolename": f"{kind}-{name}", "acls": rights}


def _of_every_site(topic: str) -> str:
    return f"{ROOT}/+{topic.removeprefix(f'{ROOT}/{_ANY}')}"
