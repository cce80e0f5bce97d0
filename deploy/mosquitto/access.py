"""Decide which topics each user may publish and hear: write the file of mosquitto's dynamic security plugin.

The plugin refuses a forbidden subscription explicitly, in MQTT 5 and in 3.1.1. With an ``acl_file``, mosquitto 2.0
would accept every subscription and then deliver nothing. We write the file, and mosquitto reads it at its start. No
user may change it over MQTT.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
from pathlib import Path
from typing import Any, Literal, get_args

from manyhands.protocol.edge.topics import NAME, ROOT, Topics
from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.utilities import secure_files

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
