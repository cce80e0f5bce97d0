"""Declare settings of phones behind brokers: their addresses (``mqtts://HOST[:PORT]/SITE/SERIAL``), our identity."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal
from urllib.parse import quote, unquote

from manyhands.actors.edge.settings import BrokerAddress, BrokerSettings
from manyhands.deploy.settings.values import FROM_ANYWHERE, OptionGroup
from manyhands.protocol.edge.topics import NAME
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import site_of
from manyhands.protocol.utilities.setting_metadata import Default, Flag

SCHEMES = ("mqtt://", "mqtts://")
_SITE = re.compile(NAME)


@dataclass(frozen=True, slots=True)
class SitePhones:
    """Hold a run's name for phones of a site, ``site/serial`` or ``site/*``, and the broker that leads to them."""

    broker: BrokerAddress
    site: str
    name: str

    @classmethod
    def of(cls, url: str) -> SitePhones:
        """Read an address. Raises BadInput; its message shows no secret."""
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
    """Return those of a run's phones that are behind brokers. Raises BadInput, also for a misspelt scheme."""
    for address in phones:
        scheme, there, _ = address.partition("://")
        if there and not address.startswith(SCHEMES) and difflib.get_close_matches(scheme.lower(), ("mqtts", "mqtt")):
            # The rest of the address is not shown, because it may hold a password.
            raise BadInput(f"{scheme}://...: an address of phones behind a broker begins with mqtts:// or mqtt://")
    sites = tuple(SitePhones.of(phone) for phone in phones if phone.startswith(SCHEMES))
    brokers: dict[str, BrokerAddress] = {}
    for phone in sites:
        if brokers.setdefault(phone.site, phone.broker) != phone.broker:
            raise BadInput(f"two brokers have a site {phone.site!r}: one of them has to be called otherwise in a run")
    return sites


def names_of(phones: Sequence[str]) -> tuple[str, ...]:
    """Return the names of phones in a run: site and serial behind a broker, else the name that was given."""
    return tuple(SitePhones.of(phone).name if phone.startswith(SCHEMES) else phone for phone in phones)


def with_addresses(names: Sequence[str], phones: Sequence[str]) -> tuple[str, ...]:
    """Return phones' names in the form of settings, with brokers. ``phones``: addresses with the sites' brokers."""
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


class MqttOptions(OptionGroup):
    """Configure our identity at brokers, and the certificates by which we trust brokers."""

    panel: ClassVar[str] = "Phones behind brokers"

    mqtt_ca: Annotated[
        Path | None, FROM_ANYWHERE, Flag("run", "resume", "phones", "gateway", "doctor"), Default("those of the system")
    ] = None
    """The certificates by which a broker is trusted (docs/edge.md)."""
    mqtt_cert: Annotated[
        Path | None, FROM_ANYWHERE, Flag("run", "resume", "phones", "gateway", "doctor"), Default("none")
    ] = None
    """Our certificate for brokers that ask for one; they identify us by it, not by a password."""
    mqtt_key: Annotated[
        Path | None, FROM_ANYWHERE, Flag("run", "resume", "phones", "gateway", "doctor"), Default("none")
    ] = None
    """The key of that certificate."""
    mqtt_user_env: Annotated[str | None, Flag("run", "resume", "phones", "gateway", "doctor"), Default("none")] = None
    """The environment variable that holds our name at brokers."""
    mqtt_password_env: Annotated[str | None, Flag("run", "resume", "phones", "gateway", "doctor"), Default("none")] = (
        None
    )
    """The environment variable that holds our password at brokers.

    It is never written anywhere.
    """
    mqtt_version: Annotated[Literal["5", "3.1.1"], Flag("run", "resume", "phones", "gateway", "doctor")] = "5"
    """The version of MQTT that brokers speak."""

    def broker_settings(self, address: BrokerAddress) -> BrokerSettings:
        """Return how to connect to the broker at an address. Raises BadInput if half of a pair is missing."""
        if (self.mqtt_cert is None) != (self.mqtt_key is None):
            raise BadInput("--mqtt-cert and --mqtt-key belong together")
        if (self.mqtt_user_env is None) != (self.mqtt_password_env is None):
            raise BadInput("--mqtt-user-env and --mqtt-password-env belong together")
        where = address.model_dump(exclude={"path"})
        return BrokerSettings(**where, **self.values_of(MqttOptions, prefix="mqtt_"))


def identity_note(broker: BrokerSettings) -> str:
    """Return which identity counts if both a certificate and a password are sent; else an empty text."""
    if broker.cert is None or broker.user_env is None:
        return ""
    return (
        "--mqtt-cert and --mqtt-user-env: both are sent; a broker that asks for certificates goes by the certificate, "
        "any other by the name and password"
    )
