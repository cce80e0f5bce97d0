"""Name the topics of a broker: what is said where, and by whom.

manyhands/v1/<site>/cmd                 requests to a whole site
manyhands/v1/<site>/<serial>/cmd        requests about one of its phones
manyhands/v1/<site>/re/<client>         replies to one who asked
manyhands/v1/<site>/frames/<client>     chunks of pictures for the same
manyhands/v1/<site>/presence            whether the site is there; retained, and its last will
manyhands/v1/<site>/<serial>/state      a phone as its transport lists it; retained
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
"""What sites and clients are called."""
_NAME = re.compile(NAME)
_PLAIN = "".join(sorted({*ascii_letters, *digits, *punctuation} - set("/+#%")))
"""What stands in a level as it is: no separator, no wildcard, and not what encodes them."""


class Kind(StrEnum):
    """List what a topic is for, by its word."""

    COMMANDS = "cmd"
    REPLIES = "re"
    PICTURES = "frames"
    PRESENCE = "presence"
    STATE = "state"


_RESERVED = frozenset({Kind.COMMANDS, Kind.REPLIES, Kind.PICTURES, Kind.PRESENCE})
"""Words that stand where a serial may stand."""


class Place(NamedTuple):
    """Hold what a topic says."""

    site: str
    kind: Kind
    name: str = ""
    """The serial, or the client; empty for the whole site."""


def level_of(serial: str) -> str:
    """Return a serial as one level of a topic: as it is, or percent-encoded. Raises WireError for one that is empty."""
    if not serial:
        raise WireError("a phone without a serial has no topic")
    try:
        level = quote(serial, safe=_PLAIN)
    except UnicodeEncodeError as error:
        raise WireError(f"{serial!r} is no serial: {error}") from error
    return f"%{ord(level[0]):02X}{level[1:]}" if level in _RESERVED else level


def serial_of(level: str) -> str:
    """Return the serial that stands in a level of a topic. Raises WireError for what ``level_of`` never writes."""
    try:
        serial = unquote(level, errors="strict")
    except UnicodeDecodeError as error:
        raise WireError(f"the level {level!r} of a topic is no serial: {error}") from error
    if level_of(serial) != level:
        raise WireError(f"the level {level!r} of a topic is no serial as it is written here")
    return serial


class Topics:
    """Name the topics of one site. Raises BadInput for a name that no site can have."""

    def __init__(self, site: str) -> None:
        if not _NAME.fullmatch(site):
            raise BadInput(f"{site!r} cannot name a site: 1 to 64 letters, digits, '-' and '_'")
        self.site = site
        self._at = f"{ROOT}/{site}"

    @property
    def commands(self) -> str:
        return f"{self._at}/{Kind.COMMANDS}"

    def phone_commands(self, serial: str) -> str:
        return f"{self._at}/{level_of(serial)}/{Kind.COMMANDS}"

    @property
    def all_phone_commands(self) -> str:
        """A filter for the requests about all its phones."""
        return f"{self._at}/+/{Kind.COMMANDS}"

    def replies(self, client: str) -> str:
        return f"{self._at}/{Kind.REPLIES}/{client}"

    def pictures(self, client: str) -> str:
        return f"{self._at}/{Kind.PICTURES}/{client}"

    @property
    def presence(self) -> str:
        return f"{self._at}/{Kind.PRESENCE}"

    def phone_state(self, serial: str) -> str:
        return f"{self._at}/{level_of(serial)}/{Kind.STATE}"

    @property
    def all_phone_states(self) -> str:
        """A filter for the states of all its phones."""
        return f"{self._at}/+/{Kind.STATE}"


def is_for_pictures(topic: str) -> bool:
    """Return whether a topic, or a filter, is for pictures: they go by a connection of their own."""
    return topic.split("/")[3:4] == [Kind.PICTURES]


def place_of(topic: str) -> Place:
    """Return what a topic says. Raises WireError for one that is none of ours."""
    unknown = f"{topic!r} is not a topic of {ROOT}"
    if not topic.startswith(f"{ROOT}/"):
        raise WireError(unknown)
    site, *rest = topic[len(ROOT) + 1 :].split("/")
    if not _NAME.fullmatch(site):
        raise WireError(unknown)
    match rest:
        case [Kind.COMMANDS]:
            return Place(site, Kind.COMMANDS)
        case [Kind.PRESENCE]:
            return Place(site, Kind.PRESENCE)
        case [Kind.REPLIES | Kind.PICTURES as kind, client] if _NAME.fullmatch(client):
            return Place(site, Kind(kind), client)
        case [level, Kind.COMMANDS | Kind.STATE as kind]:
            return Place(site, Kind(kind), serial_of(level))
        case _:
            raise WireError(unknown)
