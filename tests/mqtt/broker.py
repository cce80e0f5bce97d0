"""A real mosquitto of a test, as `manyhands broker` configures it, that can be killed, frozen and started again."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.deploy.mosquitto.configuration import (
    LOOPBACK,
    BrokerFolder,
    BrokerListener,
    Listening,
    find_program,
    free_port,
)

START_S = 20.0


@dataclass(frozen=True, slots=True)
class Account:
    """What a client needs to connect."""

    user: str
    password: str
    cert: Path
    key: Path


class Mosquitto:
    """A broker on a port of its own, which stays the same over kills and starts."""

    def __init__(
        self,
        folder: Path,
        tls: bool = True,
        sites: Sequence[str] = ("A", "B"),
        users: Sequence[str] = ("cluster",),
        hosts: Sequence[str] = ("localhost", LOOPBACK),
        expired: bool = False,
    ) -> None:
        self.host = LOOPBACK
        self.port = free_port()
        self.certificate_port = free_port()
        """Where users show certificates in place of passwords; with TLS only."""
        self.tls = tls
        self.folder = BrokerFolder(folder)
        self.hosts = tuple(hosts) if tls else ()
        self.expired = expired
        """Whether its certificate has expired, from the next start on."""
        self._log = folder / "mosquitto.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.folder.add("site", *sites)
        self.folder.add("cluster", *users)

    @property
    def url(self) -> str:
        """As commands take it: `mqtts://127.0.0.1:PORT`."""
        return f"mqtt{'s' if self.tls else ''}://{self.host}:{self.port}"

    @property
    def certificate_url(self) -> str:
        return f"mqtts://{self.host}:{self.certificate_port}"

    @property
    def ca(self) -> Path | None:
        return self.folder.ca if self.tls else None

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def account(self, name: str) -> Account:
        """Of a site or of a user of the cluster."""
        pair = self.folder.authority.for_user(name)
        return Account(name, self.folder.password(name), pair.cert, pair.key)

    def start(self) -> None:
        """Start it, or start it again where it was; it answers when this returns."""
        by_certificate = (BrokerListener(self.host, self.certificate_port, certificates=True),) if self.tls else ()
        program = find_program()
        path = self.folder.write(
            program, Listening((BrokerListener(self.host, self.port), *by_certificate), self.hosts)
        )
        if self.expired:
            self.folder.authority.for_server(self.hosts).cert.unlink()
            self.folder.authority.for_server(self.hosts, days=-1)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [program.path, "-c", str(path)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        deadline = time.monotonic() + START_S
        while True:
            try:
                socket.create_connection((self.host, self.port), timeout=1).close()
                return
            except OSError:
                assert self._process.poll() is None, self.log
                assert time.monotonic() < deadline, "mosquitto does not listen"
                time.sleep(0.02)

    def stop(self) -> None:
        """Let it end in order: it writes down what it has retained."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once: what it has not written down is lost."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop its clock: connections stand, nothing is answered."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _end(self, by: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(by)
            self._process.send_signal(signal.SIGCONT)
            self._process.wait(20)
