"""Declare the settings of phones: which ones, how adb reaches them, and the virtual ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, field_validator

from manyhands.deploy.settings.sites import behind_brokers
from manyhands.deploy.settings.values import OptionGroup, Words
from manyhands.protocol.errors import BadInput
from manyhands.protocol.public_input import PublicInput
from manyhands.protocol.screens.geometry import Size
from manyhands.protocol.utilities.setting_metadata import Default, Flag

if TYPE_CHECKING:
    pass


def _addresses(phones: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse phone addresses that cannot be read or hold a password."""
    try:
        behind_brokers(phones)
    except BadInput as error:
        raise ValueError(str(error)) from error
    return phones


class PhoneOptions(OptionGroup):
    """Name the phones of a run."""

    panel: ClassVar[str] = "Phones"

    phones: Annotated[
        Words,
        AfterValidator(_addresses),
        Flag("run", "resume", "phones", "doctor", is_common=True),
        Default("all usable ones of this machine"),
    ] = ()
    """adb serials, phones behind a broker (`mqtts://HOST/SITE/*`, docs/edge.md), or one `virtual:N`.

    A named phone that is away is tried again. Where none is named, unusable phones are left out and reported.
    """
    phone_wait_s: float = Field(default=15.0, gt=0, le=3600)
    """Seconds that a run waits at its start for one of the named phones; then exit code 2."""

    @property
    def virtual_phones(self) -> int | None:
        """Return N of ``virtual:N``, None where the serials are real. Raises BadInput."""
        marked = [phone for phone in self.phones if phone.startswith("virtual")]
        if not marked:
            return None
        count = marked[0].removeprefix("virtual:")
        if len(self.phones) > 1 or not count.isdecimal() or not 1 <= int(count) <= 1000:
            raise BadInput(f"--phones {','.join(self.phones)}: write one virtual:N with N from 1 to 1000, or serials")
        return int(count)


class TransportOptions(OptionGroup):
    """Choose how phones are reached."""

    panel: ClassVar[str] = "Phones"

    transport: str = "adb"
    """The way to phones: a name in `deploy/fleet/phones/transports.py`."""


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
            "demo",
            "simulate",
            "phones",
            "gateway",
            "doctor",
            "init",
            "bench step",
            "bench fleet",
            "bench overhead",
            "bench perceive",
        ),
    ] = Field(default=5037, ge=1, le=65535)
    """Port of the adb server.

    One is started where none runs; it is never killed.
    """
    state_dir: Annotated[Path, Flag("gateway")] = Path("~/.local/state/manyhands")
    """Leases and action keys of this host's phones, shared by all its runs."""
    label_providers: Annotated[Words, Flag("gateway", name="label-provider")] = ()
    """Content providers on the phones that list apps with their labels."""
    reset_provider: Annotated[str | None, Flag("gateway")] = None
    """A content provider on the phones that has a method `reset`."""
    allow_shell_checks: Annotated[bool, Flag("run", "resume", "gateway")] = False
    """Run the shell lines of checks on the phones.

    The task's author wrote them, never a model.
    """


class VirtualOptions(PublicInput):
    """Configure the virtual phones that a run starts."""

    panel: ClassVar[str] = "Stand-ins"

    model_config = ConfigDict(use_attribute_docstrings=True)

    size: Annotated[
        str,
        Flag(
            "run",
            "demo",
            "simulate",
            "bench step",
            "bench fleet",
            "bench overhead",
            "bench chaos",
            "bench edge",
        ),
    ] = "1080x2400"
    """Virtual phones: width and height in pixels."""
    seed: Annotated[int, Flag("run", "demo", "simulate", "bench step", "bench fleet")] = 0
    """Virtual phones: seed of what they hold."""
    transitions: Annotated[Literal["bursts", "pauses"] | None, Flag("simulate"), Default("at once")] = None
    """Virtual phones: how a screen changes after an input: `bursts`, `pauses` (docs/settling.md)."""
    cut: Annotated[str | None, Flag("run", "demo", "simulate"), Default("never")] = None
    """Virtual phones: cut each connection once, SECONDS@INPUTS: `6@10` cuts it for 6 s after 10 inputs."""

    vendors: Annotated[Words, Flag("run", "demo", "simulate", "bench chaos", name="vendor"), Default("none")] = ()
    """Virtual phones: answer as some vendor's phones, by NAME or, for phone N alone, NAME@N: `input-refused@0`.

    docs/virtual-phones.md lists the names.
    """

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
