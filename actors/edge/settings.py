"""The settings of a broker and of links to it. They pickle, and contain names of secrets, never the secrets."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field

from manyhands.protocol.base import Input
from manyhands.protocol.edge.messages import CHUNK_BYTES
from manyhands.protocol.edge.topics import NAME
from manyhands.protocol.errors import BadInput

_PORTS = {"mqtt": 1883, "mqtts": 8883}


class BrokerSettings(Input):
    """Where a broker is, and who we are to it."""

    host: str
    port: int = Field(ge=1, le=65535)
    tls: bool = True
    ca: Path | None = None
    """The certificates that are trusted; those of the system without."""
    cert: Path | None = None
    """Our own certificate, where the broker asks for one, and its ``key``."""
    key: Path | None = None
    user_env: str | None = None
    """The environment variable that has the user's name, and that of the password."""
    password_env: str | None = None
    version: Literal["5", "3.1.1"] = "5"
    """Of MQTT."""

    @property
    def name(self) -> str:
        """Return its name in messages."""
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"

    @property
    def readable_on_the_way(self) -> bool:
        """Return whether others may read what is sent: without TLS, to a broker that may be on another machine."""
        if self.tls or self.host == "localhost":
            return False
        try:
            return not ip_address(self.host).is_loopback
        except ValueError:  # a name
            return True


class BrokerAddress(Input):
    """Where a broker is, as an URL says it."""

    host: str
    port: int
    tls: bool
    path: str = ""
    """What follows the host, without the first slash."""

    @classmethod
    def of(cls, url: str) -> BrokerAddress:
        """Read ``mqtt[s]://HOST[:PORT][/PATH]``. Raises BadInput, which shows no secret."""
        if "@" in url:  # anywhere: otherwise an error about the rest of the URL would show a password
            host = url.rpartition("@")[2].partition("/")[0]
            raise BadInput(
                f"the address of the broker {host} has a user or a password in it, for everybody to see; "
                "name environment variables that have them instead"
            )
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise BadInput(f"the address of a broker cannot be read: {error}") from error
        if parts.query or parts.fragment:
            raise BadInput(f"the address of the broker {parts.hostname} has more than a path: leave out '?' and '#'")
        if parts.scheme not in _PORTS or not parts.hostname or port == 0:
            raise BadInput(f"{url!r} is not the address of a broker: mqtts://HOST[:PORT] or mqtt://HOST[:PORT]")
        try:
            parts.hostname.encode("idna")  # as connecting does
        except UnicodeError as error:
            raise BadInput(
                f"the address of a broker cannot be read: {parts.hostname!r} is no host name: a part between its dots "
                "is empty, has more than 63 letters, or a letter that names cannot have"
            ) from error
        tls = parts.scheme == "mqtts"
        return cls(host=parts.hostname, port=port or _PORTS[parts.scheme], tls=tls, path=parts.path.removeprefix("/"))


class LinkSettings(Input):
    """How a link behaves. Times are seconds."""

    keepalive_s: int = Field(default=5, ge=1, le=3600)
    """How often a silent connection is tried: the broker finds one that is dead after one and a half times that, we
    after twice that at most."""
    connect_s: float = Field(default=5, gt=0)
    """How long connecting may take, and each subscription."""
    publish_s: float = Field(default=10, gt=0)
    """How long the broker may accept none of the messages that it was sent. Then the connection is given up, and they
    with it."""
    first_retry_s: float = Field(default=0.2, gt=0)
    most_retry_s: float = Field(default=5, gt=0)
    """How long is waited before another connection is tried: doubled from the first to this, with jitter."""
    in_flight: int = Field(default=16, ge=1, le=1024)
    """Messages that the broker has not accepted yet, by connection; others wait their turn here."""


class RepeatSettings(Input):
    """How a request that is not answered is sent again. Times are seconds."""

    first_s: float = Field(default=1, gt=0)
    most_s: float = Field(default=5, gt=0)
    """How long is waited before it is sent again: doubled from the first to this."""


class MqttGatewaySettings(Input):
    """Settings of a :class:`~manyhands.actors.edge.cluster.mqtt_gateway.MqttGateway`. Times are seconds."""

    broker: BrokerSettings
    sites: tuple[str, ...] = Field(min_length=1)
    """Those whose phones it serves; each is one gateway process."""
    patient: bool = False
    """Whether a broker that cannot be reached at the start is waited for: by an actor that was started again, for
    whoever opened its fleet has reached it."""
    link: LinkSettings = LinkSettings()
    repeat: RepeatSettings = RepeatSettings()
    plain_s: float = Field(default=50, gt=0)
    """Limit of a call that carries no deadline: less than its caller's, so that our own error comes first."""
    hello_s: float = Field(default=3, gt=0)
    """How long a site may take to say that it is there."""
    list_s: float = Field(default=10, gt=0)
    """How long it may take to list its phones."""
    renew_window_s: float = Field(default=0.1, ge=0)
    """How long leases are collected that are renewed together."""
    silent_s: float = Field(default=1.5, gt=0)
    """How long no chunk of a picture may come before those that are missing are fetched; doubled each time."""
    pictures_mb: int = Field(default=128, ge=1)
    """Memory for pictures that are kept, which are not sent again, and as much for those that are on their way: each
    site has an equal share, of 16 MB at least."""
    pixel_threads: int = Field(default=2, ge=1)
    """Threads in which pictures are decoded."""
    max_calls: int = Field(default=512, ge=1)
    """Calls admitted at a time; more are refused as Overloaded."""


class SiteSettings(Input):
    """Settings of a gateway beside phones, apart from its phones and its link. Times are seconds."""

    site: str = Field(pattern=NAME)
    """What it is called: the first part of its phones' names in the cluster."""
    lease_s: float = Field(default=90, ge=1, le=3600)
    """How long a lease runs at least: whoever had a phone, and is back after less, finds it undisturbed."""
    lossless: bool = False
    """Whether pictures are sent as PNG, some four times as many bytes as JPEG."""
    chunk_bytes: int = Field(default=CHUNK_BYTES, ge=16 * 1024, le=512 * 1024)
    """Of a picture in one message: what is more urgent waits for one chunk at most."""
    most_requests: int = Field(default=512, ge=1)
    """Requests that are carried out at a time; others are answered as Overloaded."""
    most_reply_bytes: int = Field(default=1000 * 1024, ge=16 * 1024)
    """Of one reply. The broker ends the connection of whoever sends it more than it takes: ours 1 MiB."""
