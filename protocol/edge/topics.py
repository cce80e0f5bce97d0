"""Name the MQTT topics of a site, and parse them.

manyhands/v1/<site>/cmd                 requests to a whole site
manyhands/v1/<site>/<serial>/cmd        requests about one of its phones
manyhands/v1/<site>/re/<client>         replies to one client
manyhands/v1/<site>/frames/<client>     chunks of pictures for one client
manyhands/v1/<site>/presence            whether the site is connected; retained, and the last will
manyhands/v1/<site>/<serial>/state      state of a phone, as its transport lists it; retained
"""

from __future__ import annotations

import re
from enum import StrEnum
from string import ascii_letters, digits, punctuation
from typing import NamedTuple
from urllib.parse import quote, unquote

from manyhands.protocol.errors import BadInput, WireError

ROOT = "manyhands/v1"
NAME = r"^[A-Za-z0-9_-]{1,64}$"
"""The pattern of the names of sites and clients."""
_NAME = re.compile(NAME)
_PLAIN = "".join(sorted({*ascii_letters, *digits, *punctuation} - set("/+#%")))
"""Characters that are not percent-encoded in a level: no separator, no wildcard, no percent sign."""


class TopicKind(StrEnum):
    """List the kinds of topics; the value is the word in the topic."""

    COMMANDS = "cmd"
    REPLIES = "re"
    PICTURES = "frames"
    PRESENCE = "presence"
    STATE = "state"


_RESERVED = frozenset({TopicKind.COMMANDS, TopicKind.REPLIES, TopicKind.PICTURES, TopicKind.PRESENCE})
"""Words at the position of a serial. A serial that equals one of these words is percent-encoded."""


class ParsedTopic(NamedTuple):
    """Hold the parts of a topic."""

    site: str
    kind: TopicKind
    name: str = ""
    """The serial, or the client; empty for the whole site."""


def encode_serial(serial: str) -> str:
    """Return a serial as one level of a topic, percent-encoded where necessary. Raises WireError for an empty one."""
    if not serial:
        raise WireError("a phone without a serial has no topic")
    try:
        level = quote(serial, safe=_PLAIN)
    except UnicodeEncodeError as error:
        raise WireError(f"{serial!r} is no serial: {error}") from error
    return f"%{ord(level[0]):02X}{level[1:]}" if level in _RESERVED else level


def decode_serial(level: str) -> str:
    """Return the serial in a level of a topic. Raises WireError for a level that ``encode_serial`` never returns."""
    try:
        serial = unquote(level, errors="strict")
    except UnicodeDecodeError as error:
        raise WireError(f"the level {level!r} of a topic is no serial: {error}") from error
    if encode_serial(serial) != level:
        raise WireError(f"the level {level!r} of a topic is no serial as it is written here")
    return serial


class Topics:
    """Name the topics of one site. Raises BadInput for an invalid name of a site."""

    def __init__(self, site: str) -> None:
        if not _NAME.fullmatch(site):
            raise BadInput(f"{site!r} cannot name a site: 1 to 64 letters, digits, '-' and '_'")
        self.site = site
        self._at = f"{ROOT}/{site}"

    @property
    def commands(self) -> str:
        return f"{self._at}/{TopicKind.COMMANDS}"

    def phone_commands(self, serial: str) -> str:
        return f"{self._at}/{encode_serial(serial)}/{TopicKind.COMMANDS}"

    @property
    def all_phone_commands(self) -> str:
        """Return a filter for the requests about all phones of the site."""
        return f"{self._at}/+/{TopicKind.COMMANDS}"

    def replies(self, client: str) -> str:
        return f"{self._at}/{TopicKind.REPLIES}/{client}"

    def pictures(self, client: str) -> str:
        return f"{self._at}/{TopicKind.PICTURES}/{client}"

    @property
    def presence(self) -> str:
        return f"{self._at}/{TopicKind.PRESENCE}"

    def phone_state(self, serial: str) -> str:
        return f"{self._at}/{encode_serial(serial)}/{TopicKind.STATE}"

    @property
    def all_phone_states(self) -> str:
        """Return a filter for the states of all phones of the site."""
        return f"{self._at}/+/{TopicKind.STATE}"


def is_picture_topic(topic: str) -> bool:
    """Return whether a topic or a filter is for pictures, which have a connection of their own."""
    return topic.split("/")[3:4] == [TopicKind.PICTURES]


def parse_topic(topic: str) -> ParsedTopic:
    """Parse a topic. Raises WireError for a topic of no known form."""
    unknown = f"{topic!r} is not a topic of {ROOT}"
    if not topic.startswith(f"{ROOT}/"):
        raise WireError(unknown)
    site, *rest = topic[len(ROOT) + 1 :].split("/")
    if not _NAME.fullmatch(site):
        raise WireError(unknown)
    match rest:
        case [TopicKind.COMMANDS]:
            return ParsedTopic(site, TopicKind.COMMANDS)
        case [TopicKind.PRESENCE]:
            return ParsedTopic(site, TopicKind.PRESENCE)
        case [TopicKind.REPLIES | TopicKind.PICTURES as kind, client] if _NAME.fullmatch(client):
            return ParsedTopic(site, TopicKind(kind), client)
        case [level, TopicKind.COMMANDS | TopicKind.STATE as kind]:
            return ParsedTopic(site, TopicKind(kind), decode_serial(level))
        case _:
            raise WireError(unknown)
