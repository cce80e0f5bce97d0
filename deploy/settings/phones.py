"""Declare the settings of phones: which ones, how adb or a broker reaches them, and the virtual ones.

Phones behind a broker have addresses, ``mqtts://HOST[:PORT]/SITE/SERIAL``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal
from urllib.parse import quote, unquote

from pydantic import AfterValidator, ConfigDict, Field, field_validator

from manyhands.actors.edge.settings import BrokerAddress, BrokerSettings
from manyhands.deploy.settings.values import FROM_ANYWHERE, OptionGroup, Words
from manyhands.protocol.edge.topics import NAME
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import site_of
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.secrets import Secret, SecretName
from manyhands.protocol.utilities.setting_metadata import Default, Flag

if TYPE_CHECKING:
    pass

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


_AT_BROKERS = Flag("run", "resume", "environment", "phones", "gateway", "doctor")


class MqttOptions(OptionGroup):
    """Configure our identity at brokers, and the certificates by which we trust brokers."""

    panel: ClassVar[str] = "Phones behind brokers"

    mqtt_ca: Annotated[Path | None, FROM_ANYWHERE, _AT_BROKERS, Default("the system's")] = None
    """The certificates by which a broker is trusted (docs/edge.md)."""
    mqtt_cert: Annotated[Path | None, FROM_ANYWHERE, _AT_BROKERS, Default("none")] = None
    """Our certificate for brokers that ask for one; they identify us by it, not by a password."""
    mqtt_key: Annotated[Path | None, FROM_ANYWHERE, _AT_BROKERS, Default("none")] = None
    """The key of that certificate."""
    mqtt_user_env: Annotated[str | None, _AT_BROKERS, Default("none")] = None
    """The environment variable with our name at brokers."""
    mqtt_password_env: Annotated[str | None, _AT_BROKERS, Default("none")] = None
    """The environment variable with our password at brokers.

    It is never written anywhere.
    """
    mqtt_version: Annotated[Literal["5", "3.1.1"], _AT_BROKERS] = "5"
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


def _addresses(phones: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse phone addresses that cannot be read or hold a password."""
    try:
        behind_brokers(phones)
    except BadInput as error:
        raise ValueError(str(error)) from error
    return phones


MOST_EMULATORS = 64
"""An emulator takes two of the ports from 5554 to 5681."""


@dataclass(frozen=True, slots=True)
class EmulatorCount:
    """Name an Android virtual device (AVD), and count the emulators that run it."""

    avd: str
    count: int


_STARTED = ("virtual", "web")
"""The kinds of phones that a run starts by their number."""
_STARTED_PREFIXES = ("virtual", "web:", "avd:")


def run_starts(phones: Sequence[str]) -> bool:
    """Return whether phones that are named so are started by the run itself, with other serials each time."""
    return any(phone.startswith(_STARTED_PREFIXES) for phone in phones)


class PhoneOptions(OptionGroup):
    """Name the phones of a run."""

    panel: ClassVar[str] = "Phones"

    phones: Annotated[
        Words,
        AfterValidator(_addresses),
        Flag("run", "resume", "environment", "phones", "doctor", is_common=True),
        Default("all usable ones of this machine"),
    ] = ()
    """Serials, addresses, `virtual:N`, `web:N` or `avd:NAME:N`.

    Serials are adb's; an address is of phones behind a broker, such as `mqtts://HOST/SITE/*` (docs/edge.md).
    `web:N` needs a page (docs/virtual-phones.md). `avd:NAME:N` starts N emulators of your SDK (docs/emulators.md). A
    run tries a named phone again if it is away. Without names, it reports unusable phones and leaves them out.
    """
    emulator_flags: Annotated[Words, Default("none")] = ()
    """More options for the emulators of `avd:NAME:N`, such as `-gpu,host`."""
    boot_s: float = Field(default=300.0, gt=0, le=7200)
    """Seconds that an emulator may take to boot."""
    phone_wait_s: float = Field(default=15.0, gt=0, le=3600)
    """Seconds that a starting run waits for one of the named phones. Then it ends with exit code 2."""

    @property
    def virtual_phones(self) -> int | None:
        """Return N of ``virtual:N`` or ``web:N``, None where the serials are real. Raises BadInput."""
        marked = [phone for phone in self.phones if phone.startswith(("virtual", "web:"))]
        if not marked:
            return None
        kind, _, count = marked[0].partition(":")
        if kind not in _STARTED or len(self.phones) > 1 or not count.isdecimal() or not 1 <= int(count) <= 1000:
            one_of = " or ".join(f"{kind}:N" for kind in _STARTED)
            raise BadInput(f"--phones {','.join(self.phones)}: write one {one_of} with N from 1 to 1000, or serials")
        return int(count)

    @property
    def emulators(self) -> EmulatorCount | None:
        """Return the AVD and the N of ``avd:NAME:N``, None if the run starts no emulators. Raises BadInput."""
        marked = [phone for phone in self.phones if phone.startswith("avd:")]
        if not marked:
            return None
        match = re.fullmatch(r"avd:([A-Za-z0-9._-]+):(\d{1,2})", marked[0])
        if len(self.phones) > 1 or match is None or not 1 <= int(match[2]) <= MOST_EMULATORS:
            raise BadInput(
                f"--phones {','.join(self.phones)}: write one avd:NAME:N with N from 1 to {MOST_EMULATORS}, or serials"
            )
        return EmulatorCount(match[1], int(match[2]))

    @property
    def starts_phones(self) -> bool:
        """Return whether a run starts its phones itself. Raises BadInput."""
        return self.virtual_phones is not None or self.emulators is not None

    @property
    def are_web_phones(self) -> bool:
        """Return whether the phones are those of ``web:N``."""
        return any(phone.startswith("web:") for phone in self.phones)


class TransportOptions(OptionGroup):
    """Choose how phones are reached."""

    panel: ClassVar[str] = "Phones"

    transport: str = "adb"
    """The way to phones: `adb`, or an entry point of the group `manyhands.transports`."""


class AdbOptions(OptionGroup):
    """Configure the way to phones behind an adb server."""

    panel: ClassVar[str] = "Phones"

    adb_host: Annotated[str, Flag("gateway")] = "127.0.0.1"
    """Host of the adb server."""
    adb_port: Annotated[
        int,
        Flag(
            "run",
            "resume",
            "environment",
            "demo",
            "simulate",
            "phones",
            "gateway",
            "doctor",
            "init",
            "bench step",
            "bench fleet",
            "bench overhead",
            "bench attacks",
            "bench perceive",
        ),
    ] = Field(default=5037, ge=1, le=65535)
    """Port of the adb server.

    If no server runs there, one is started. It is never killed.
    """
    state_dir: Annotated[Path, Flag("gateway")] = Path("~/.local/state/manyhands")
    """The folder of leases and action keys of this host's phones. All its runs share it."""
    label_providers: Annotated[Words, Flag("gateway", name="label-provider")] = ()
    """Content providers on the phones that list apps with labels."""
    reset_provider: Annotated[str | None, Flag("gateway")] = None
    """A content provider on the phones that resets their contents (method `reset`)."""
    reset_snapshot: Annotated[str | None, Flag("run", "gateway"), Default("`default_boot` for `avd:NAME:N`")] = Field(
        default=None, pattern=r"^[A-Za-z0-9._-]+$"
    )
    """The snapshot that emulators restore before each attempt of a task with `reset_seed`."""
    allow_shell_checks: Annotated[bool, Flag("run", "resume", "environment", "gateway")] = False
    """Run the shell lines of checks on the phones.

    The task's author wrote them, no model.
    """
    secrets: dict[SecretName, Secret] = Field(default_factory=dict)
    """What `{{secret:NAME}}` stands for, and where it may be typed (docs/secrets.md)."""


class VirtualOptions(PublicInput):
    """Configure the virtual phones that a run starts."""

    panel: ClassVar[str] = "Stand-ins"

    model_config = ConfigDict(use_attribute_docstrings=True)

    size: Annotated[
        str,
        Flag(
            "run",
            "environment",
            "demo",
            "simulate",
            "bench step",
            "bench fleet",
            "bench overhead",
            "bench attacks",
            "bench chaos",
            "bench edge",
        ),
    ] = "1080x2400"
    """Virtual phones: width and height in pixels."""
    seed: Annotated[int, Flag("run", "environment", "demo", "simulate", "bench step", "bench fleet")] = 0
    """Virtual phones: seed of their contents."""
    transitions: Annotated[Literal["bursts", "pauses"] | None, Flag("simulate"), Default("at once")] = None
    """Virtual phones: how a screen changes after an input: `bursts`, `pauses` (docs/settling.md)."""
    cut: Annotated[str | None, Flag("run", "demo", "simulate"), Default("never")] = None
    """Virtual phones: cut each connection once, by SECONDS@INPUTS. `6@10` cuts it for 6 s after 10 inputs."""

    vendors: Annotated[Words, Flag("run", "demo", "simulate", "bench chaos", name="vendor"), Default("none")] = ()
    """Virtual phones: imitate a vendor's phones. NAME is for all, NAME@N for phone N alone, such as `input-refused@0`.

    docs/virtual-phones.md lists the names.
    """

    density: Annotated[int | None, Flag("run", "environment", "simulate"), Default("420 at a width of 1080")] = Field(
        default=None, ge=80, le=2000
    )
    """Virtual phones: dots per inch. A web page is as wide as 160 x width / density of its own pixels."""
    web: Annotated[str | None, Flag("run", "environment", "simulate"), Default("no web phones")] = None
    """Web phones: their start page, as an address, a file or a folder (docs/virtual-phones.md).

    `{seed}` in it stands for the phone's seed.
    """
    web_allow: Annotated[Words, Flag("run", "environment", "simulate"), Default("none")] = ()
    """Web phones: hosts and folders (with a `/`) that may be loaded besides loopback and the start page's own."""
    web_script: Annotated[Path | None, Flag("run", "environment", "simulate"), Default("none")] = None
    """Web phones: JavaScript that runs in every page before its own."""

    @field_validator("size")
    @classmethod
    def _is_a_size(cls, size: str) -> str:
        if not re.fullmatch(r"\d{3,4}x\d{3,4}", size):
            raise ValueError(f"--size {size}: write width and height in pixels, e.g. 1080x2400")
        return size

    @field_validator("cut")
    @classmethod
    def _is_a_cut(cls, cut: str | None) -> str | None:
        match = re.fullmatch(r"(\d{1,4}(?:\.\d{1,3})?)(?:@\d{1,5})?", "1" if cut is None else cut)
        if match is None or float(match[1]) == 0:
            raise ValueError(f"--cut {cut}: write SECONDS, or SECONDS@INPUTS, e.g. 6@10")
        return cut

    @property
    def pixels(self) -> Size:
        """Return the size as numbers."""
        width, height = self.size.split("x")
        return Size(width=int(width), height=int(height))
