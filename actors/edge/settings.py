"""The settings of a broker and of links to it. They can be pickled.

They contain names of secrets, never the secrets.
"""

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
from manyhands.protocol.utilities.backoff import Backoff
from manyhands.protocol.utilities.validation_words import mend_scheme

REPEAT = Backoff(first_s=1, longest_s=5)
_PORTS = {"mqtt": 1883, "mqtts": 8883}


class BrokerSettings(Input):
    """Say where a broker is, and by which credentials we connect."""

    host: str
    port: int = Field(ge=1, le=65535)
    tls: bool = True
    ca: Path | None = None
    """The certificates that are trusted; without a file, those of the system."""
    cert: Path | None = None
    """Our own certificate, if the broker asks for one. ``key`` is its key."""
    key: Path | None = None
    user_env: str | None = None
    """The environment variable with the user's name. ``password_env`` names the one with the password."""
    password_env: str | None = None
    version: Literal["5", "3.1.1"] = "5"
    """The version of MQTT."""

    @property
    def name(self) -> str:
        """Return the broker's name for messages."""
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"

    @property
    def readable_on_the_way(self) -> bool:
        """Return whether others may read the messages on their way: there is no TLS, and the broker may be
        on another machine.
        """
        if self.tls or self.host == "localhost":
            return False
        try:
            return not ip_address(self.host).is_loopback
        except ValueError:  # the host is a name, not an address
            return True


class BrokerAddress(Input):
    """Hold where a broker is, as read from a URL."""

    host: str
    port: int
    tls: bool
    path: str = ""
    """The part of the URL after the host, without the first slash."""

    @classmethod
    def of(cls, url: str) -> BrokerAddress:
        """Read ``mqtt[s]://HOST[:PORT][/PATH]``. Raises BadInput, which shows no secret."""
        if "@" in url:  # wherever it stands: a later error would show a password in the URL
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
            suggestion = "" if parts.scheme in _PORTS else f"; write {mend_scheme(url, ('mqtts', 'mqtt'))}"
            raise BadInput(
                f"{url!r} is not the address of a broker: mqtts://HOST[:PORT] or mqtt://HOST[:PORT]{suggestion}"
            )
        try:
            parts.hostname.encode("idna")  # connecting encodes the name in this way too
        except UnicodeError as error:
            raise BadInput(
                f"the address of a broker cannot be read: {parts.hostname!r} is no host name: a part between its dots "
                "is empty, has more than 63 letters, or a letter that names cannot have"
            ) from error
        tls = parts.scheme == "mqtts"
        return cls(host=parts.hostname, port=port or _PORTS[parts.scheme], tls=tls, path=parts.path.removeprefix("/"))


class LinkSettings(Input):
    """Configure how a link behaves. Times are in seconds."""

    keepalive_s: int = Field(default=5, ge=1, le=3600)
    """How often an idle connection is tested. The broker finds a dead connection after one and a half times this time,
    we after at most twice this time."""
    connect_s: float = Field(default=5, gt=0)
    """The time limit for connecting, and for each subscription."""
    publish_s: float = Field(default=10, gt=0)
    """How long the broker may accept none of the messages sent to it. After that the connection and these messages are
    given up."""
    retry: Backoff = Backoff(first_s=0.2, longest_s=5, jitter=0.5)
    """The waits between attempts to connect."""
    in_flight: int = Field(default=16, ge=1, le=1024)
    """The most messages that one connection has sent and the broker has not yet accepted. Further messages
    wait here."""


class MqttGatewaySettings(Input):
    """Settings of a :class:`~manyhands.actors.edge.mqtt_gateway.MqttGateway`. Times are in seconds."""

    broker: BrokerSettings
    sites: tuple[str, ...] = Field(min_length=1)
    """The sites whose phones the gateway serves. Each site is one gateway process."""
    patient: bool = False
    """Whether to wait for a broker that cannot be reached at the start. An actor that was started again waits, because
    the fleet has reached the broker before."""
    link: LinkSettings = LinkSettings()
    repeat: Backoff = REPEAT
    """The waits before a request without a reply is sent again."""
    plain_s: float = Field(default=50, gt=0)
    """The time limit of a call without a deadline. It is shorter than the caller's limit, so that our own error comes
    first."""
    hello_s: float = Field(default=3, gt=0)
    """How long a site may take to answer a handshake."""
    list_s: float = Field(default=10, gt=0)
    """How long a site may take to list its phones."""
    renew_window_s: float = Field(default=0.1, ge=0)
    """How long renewals of leases are collected before one request sends them together."""
    silent_s: float = Field(default=1.5, gt=0)
    """After this time without a chunk of a picture, its missing chunks are requested. The time doubles with each
    request."""
    pictures_mb: int = Field(default=128, ge=1)
    """The memory for cached pictures, which sites do not send again, in MB. Incoming pictures may take as much again:
    each site has an equal share of that, of at least 16 MB."""
    pixel_threads: int = Field(default=2, ge=1)
    """Threads in which pictures are decoded."""
    max_calls: int = Field(default=512, ge=1)
    """The most calls admitted at a time. Further calls are refused as Overloaded."""


class SiteSettings(Input):
    """Settings of a gateway beside phones, apart from its phones and its link. Times are in seconds."""

    site: str = Field(pattern=NAME)
    """The site's name: the first part of its phones' names in the cluster."""
    lease_s: float = Field(default=90, ge=1, le=3600)
    """The shortest time of a lease. A holder that was cut off for less finds its phone undisturbed."""
    lossless: bool = False
    """Whether pictures are sent as PNG. A PNG has about four times as many bytes as a JPEG."""
    chunk_bytes: int = Field(default=CHUNK_BYTES, ge=16 * 1024, le=512 * 1024)
    """The bytes of a picture in one message. A more urgent message waits for one such chunk at most."""
    most_requests: int = Field(default=512, ge=1)
    """The most requests that are executed at a time. Further requests are answered with Overloaded."""
    most_reply_bytes: int = Field(default=1000 * 1024, ge=16 * 1024)
    """The most bytes of one reply. A broker disconnects a client that sends a larger message than it accepts: 1 MiB for
    ours."""
