"""Model a phone's battery and ``dumpsys battery``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

POWER = ("ac", "usb", "wireless")
NUMBERS = {"status": "status", "level": "level", "temp": "temperature", "counter": "counter"}


class BatteryError(ValueError):
    """Signal a command that the battery service refuses, with the service's message."""


@dataclass(frozen=True, slots=True)
class Battery:
    """Hold a battery's figures. ``overridden``: whether a command has set figures, which then stay until a reset."""

    ac: bool = False
    usb: bool = True
    wireless: bool = False
    present: bool = True
    status: int = 2
    level: int = 87
    temperature: int = 280
    counter: int = 3_000_000
    overridden: bool = False

    def commanded(self, args: Sequence[str]) -> Battery:
        """Return the battery after ``set NAME VALUE``, ``unplug`` or ``reset``. Raises BatteryError."""
        words = [arg for arg in args if arg != "-f"]
        if words == ["reset"]:
            return Battery()
        if words == ["unplug"]:
            return replace(self, ac=False, usb=False, wireless=False, overridden=True)
        if words[:1] != ["set"]:
            raise BatteryError(f"Unknown command: {' '.join(words)}; there are set, unplug and reset")
        if len(words) < 3:
            raise BatteryError("No value specified" if len(words) == 2 else "No property specified")
        return self._with(words[1], words[2])

    def _with(self, name: str, value: str) -> Battery:
        try:
            number = int(value)
        except ValueError as error:
            raise BatteryError(f"Bad value: {value}") from error
        changed: dict[str, Any] = {"overridden": True}
        if name in (*POWER, "present"):
            changed[name] = number != 0
        elif name in NUMBERS:
            changed[NUMBERS[name]] = number
        else:
            raise BatteryError(f"Unknown set option: {name}")
        return replace(self, **changed)

    def report(self) -> str:
        """Return the output of ``dumpsys battery``."""
        lines = ["Current Battery Service state:"]
        if self.overridden:
            lines.append("  (UPDATES STOPPED -- use 'reset' to restart)")
        for label, on in (("AC", self.ac), ("USB", self.usb), ("Wireless", self.wireless)):
            lines.append(f"  {label} powered: {str(on).lower()}")
        lines += ["  Max charging current: 500000", "  Max charging voltage: 5000000"]
        lines += [f"  Charge counter: {self.counter}"]
        lines += [f"  status: {self.status}", "  health: 2", f"  present: {str(self.present).lower()}"]
        lines += [f"  level: {self.level}", "  scale: 100", "  voltage: 4200", f"  temperature: {self.temperature}"]
        return "\n".join((*lines, "  technology: Li-ion"))
