"""Print drawing times and memory of a virtual phone: ``python -m manyhands.simulator.phone_bench [PHONES]``."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from statistics import median

from manyhands.simulator.phone import VirtualPhone

SCREENS = (
    "com.manyhands.launcher",
    "com.android.settings",
    "com.manyhands.notes",
    "com.android.messaging",
    "com.manyhands.browser",
    "com.manyhands.shop",
)


def _resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _ms(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return (time.process_time() - start) * 1000


def drawing(rounds: int = 5) -> dict[str, float]:
    """Processor time in ms: another app's whole screen, a theme switch, a transition, typing, no change."""
    clock = _Clock()
    phone = VirtualPhone(clock=clock)
    whole, theme, moving, typing, same = [], [], [], [], []
    for turn in range(rounds):
        for package in SCREENS:
            phone.launch(package)
            clock.now += 0.1
            moving.append(_ms(phone.frame))
            clock.now += 5
            phone.frame()
            phone.put_setting("secure", "ui_night_mode", str(1 + turn % 2))
            theme.append(_ms(phone.frame))
            phone.key(3)
            clock.now += 5
            phone.frame()
            phone.launch(package)
            clock.now += 5
            whole.append(_ms(phone.frame))
            same.append(_ms(phone.frame))
    phone.launch("com.manyhands.browser")
    phone.tap(phone.width // 2, round(phone.height * 0.25))
    for _ in range(20):
        phone.input_text("a")
        typing.append(_ms(phone.frame))
    times = {
        "whole screen": whole,
        "theme switch": theme,
        "transition": moving,
        "one letter": typing,
        "unchanged": same,
    }
    return {name: median(values[len(values) // 5 :]) for name, values in times.items()}


def memory(phones: int) -> float:
    """Resident megabytes per phone, each having shown every app."""
    first = VirtualPhone(seed=0)
    first.frame()
    before = _resident_mb()
    clock = _Clock()
    kept = [VirtualPhone(seed=index, clock=clock) for index in range(phones)]
    for phone in kept:
        for package in SCREENS:
            phone.launch(package)
            clock.now += 5
            phone.frame()
    return (_resident_mb() - before) / phones


if __name__ == "__main__":
    for name, value in drawing().items():
        sys.stdout.write(f"{name:14s} {value:7.2f} ms\n")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    sys.stdout.write(f"memory         {memory(count):7.1f} MB per phone of {count}\n")
