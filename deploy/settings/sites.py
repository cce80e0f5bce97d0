"""Read phones behind a broker: ``mqtts://HOST[:PORT]/SITE/SERIAL``, or ``.../SITE/*`` for all phones of a site."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from manyhands.actors.edge.settings import BrokerAddress
from manyhands.protocol.edge.topics import NAME
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import site_of

SCHEMES = ("mqtt://", "mqtts://")
_SITE = re.compile(NAME)


@dataclass(frozen=True, slots=True)
class SitePhones:
    """Hold what a run calls phones of a site, ``site/serial`` or ``site/*``, and the broker behind which they are."""

    broker: BrokerAddress
    site: str
    name: str

    @classmethod
    def of(cls, url: str) -> SitePhones:
        """Read an address. Raises BadInput, which shows no secret."""
        address = BrokerAddress.of(url)
        site, _, serial = address.path.partition("/")
        if not _SITE.fullmatch(site) or not serial:
            base = url.removesuffix(address.path).rstrip("/")
            whole = f"{base}/{site}/* for all phones of the site"
            raise BadInput(
                f"{url} names no phone: write "
                + (whole if _SITE.fullmatch(site) else f"{base}/SITE/SERIAL, or SITE/* for all of a site")
            )
        return cls(address.model_copy(update={"path": ""}), site, f"{site}/{unquote(serial)}")


def behind_brokers(phones: Sequence[str]) -> tuple[SitePhones, ...]:
    """Return those of a run's phones that are behind brokers. Raises BadInput."""
    found = tuple(SitePhones.of(phone) for phone in phones if phone.startswith(SCHEMES))
    brokers: dict[str, BrokerAddress] = {}
    for phone in found:
        if brokers.setdefault(phone.site, phone.broker) != phone.broker:
            raise BadInput(f"two brokers have a site {phone.site!r}: one of them has to be called otherwise in a run")
    return found


def names_of(phones: Sequence[str]) -> tuple[str, ...]:
    """Return what a run calls its phones: those behind brokers by site and serial, others as they are."""
    return tuple(SitePhones.of(phone).name if phone.startswith(SCHEMES) else phone for phone in phones)


def with_addresses(names: Sequence[str], phones: Sequence[str]) -> tuple[str, ...]:
    """Return the same phones as settings name them, where ``phones`` name the brokers of their sites."""
    prefixes: Mapping[str, str] = {
        SitePhones.of(phone).site: phone[: phone.index("/", phone.index("://") + 3)]
        for phone in phones
        if phone.startswith(SCHEMES)
    }
    return tuple(
        f"{prefixes[site]}/{site}/{quote(name.partition('/')[2], safe=':')}"
        if (site := site_of(name)) in prefixes
        else name
        for name in names
    )
