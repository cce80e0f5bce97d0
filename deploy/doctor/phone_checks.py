"""Judge one phone by what its shell tells. Each check returns what it found, and how to mend it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from manyhands.actors.phones.adb import fitness
from manyhands.actors.phones.adb.commands import KEY_WAKE
from manyhands.actors.phones.adb.device_facts import ANIMATION_SCALES, DeviceFacts
from manyhands.actors.phones.adb.fitness import Condition
from manyhands.deploy.doctor.findings import Finding, Fix, Status
from manyhands.protocol.phones import PhoneLimits

OLDEST_SDK, NEWEST_SDK = 28, 36
"""The API levels of Android 9 and 16."""
SHORTEST_SCREEN_S = 600.0
"""The least timeout of a screen. With a shorter one, the screen may go off while a model thinks."""
ADB_KEYBOARD_AT = "https://github.com/senzhk/ADBKeyBoard"


@dataclass(frozen=True, slots=True)
class PhoneUnderCheck:
    """Hold a phone's facts, and what a check needs to suggest or apply a fix."""

    serial: str
    facts: DeviceFacts
    limits: PhoneLimits
    adb: str
    """The beginning of an adb command for this phone."""
    run: Callable[[str], Awaitable[None]]
    """Runs a line in the phone's shell. Raises PhoneLost, BadInput."""

    @property
    def condition(self) -> Condition:
        return self.facts.condition

    def finding(
        self, name: str, summary: str, status: Status = "ok", mend: str = "", shell: str = "", harmless: bool = False
    ) -> Finding:
        """Return a finding about this phone.

        ``shell``: a line for the phone's shell that mends it, in place of ``mend``. ``harmless``: ``--fix`` may run it.
        """
        fix: Fix | None = None
        if shell:
            mend = f"{self.adb} shell {shell}" if ";" not in shell else f"{self.adb} shell '{shell}'"
            fix = (lambda: self.run(shell)) if harmless else None
        return Finding(f"phone {self.serial}", name, summary, status, mend, fix)


PhoneCheck = Callable[[PhoneUnderCheck], Finding]


def check_android(phone: PhoneUnderCheck) -> Finding:
    """Judge the version of Android."""
    facts = phone.facts
    device = " ".join(word for word in (facts.maker, facts.model) if word)
    if facts.sdk is None:
        return phone.finding("Android", f"it does not tell its version; {device}", "warning")
    summary = f"{facts.release} (API {facts.sdk}); {device}"
    if facts.sdk < OLDEST_SDK:
        return phone.finding("Android", f"{summary}: older than 9", "warning", "use a phone with Android 9 to 16")
    if facts.sdk > NEWEST_SDK:
        return phone.finding(
            "Android", f"{summary}: newer than 16", "warning", "tell us how it goes (docs/real-phones.md)"
        )
    return phone.finding("Android", summary)


def check_screen(phone: PhoneUnderCheck) -> Finding:
    """Judge whether the screen is on."""
    awake = phone.condition.awake
    if awake is False:
        wake = f"input keyevent {KEY_WAKE}"
        return phone.finding("screen", "off; a task wakes it", "warning", shell=wake, harmless=True)
    return phone.finding("screen", "on" if awake else "it does not tell whether it is on")


def check_lock(phone: PhoneUnderCheck) -> Finding:
    """Judge the lock screen. A task dismisses one without a credential, but only the task shows whether that works."""
    condition = phone.condition
    if condition.locked and condition.secure:
        mend = "unlock it by hand; Settings > Security > Screen lock > None keeps it so"
        return phone.finding("lock", "it is locked and asks for a credential", "failure", mend)
    if condition.locked:
        dismiss = "wm dismiss-keyguard"
        return phone.finding("lock", "it is locked; a task unlocks it", "warning", shell=dismiss, harmless=True)
    return phone.finding("lock", "unlocked" if condition.locked is False else "it does not tell whether it is locked")


def check_stays_awake(phone: PhoneUnderCheck) -> Finding:
    """Judge whether the screen goes off by itself."""
    facts = phone.facts
    if facts.stays_on:
        return phone.finding("stays awake", "while it is charged")
    if facts.screen_off_s is not None and facts.screen_off_s >= SHORTEST_SCREEN_S:
        return phone.finding("stays awake", f"for {facts.screen_off_s / 60:.0f} minutes without a touch")
    if facts.stays_on is None and facts.screen_off_s is None:
        return phone.finding("stays awake", "it does not tell")
    after = "" if facts.screen_off_s is None else f" after {facts.screen_off_s:g} s without a touch"
    summary = f"its screen goes off{after}"
    return phone.finding("stays awake", summary, "warning", shell="svc power stayon true", harmless=True)


def check_keyboard(phone: PhoneUnderCheck) -> Finding:
    """Judge whether any text can be typed, or only ASCII."""
    facts = phone.facts
    if facts.has_adb_keyboard:
        return phone.finding("keyboard", "ADBKeyboard types any text")
    summary = "no ADBKeyboard: only printable ASCII can be typed"
    mend = f"{phone.adb} install ADBKeyboard.apk (from {ADB_KEYBOARD_AT})"
    return phone.finding("keyboard", summary, "warning", mend)


def check_resolution(phone: PhoneUnderCheck) -> Finding:
    """Judge the size of the screen."""
    size = phone.facts.size
    if size is None:
        return phone.finding("resolution", "'wm size' prints no size", "warning", shell="wm size reset")
    return phone.finding("resolution", f"{size.width}x{size.height}")


def check_battery(phone: PhoneUnderCheck) -> Finding:
    """Judge the battery's charge by the limits that apply before a task."""
    condition = phone.condition
    why = fitness.why_unfit(Condition(battery=condition.battery, charging=condition.charging), phone.limits)
    if why is not None:
        mend = "put it on its charger; or phone_limits.min_battery in settings.yaml"
        return phone.finding("battery", why, "failure", mend)
    if condition.battery is None:
        return phone.finding("battery", "it does not tell its charge")
    state = {True: ", charging", False: ", not charging", None: ""}[condition.charging]
    return phone.finding("battery", f"{condition.battery:.0f} %{state}")


def check_heat(phone: PhoneUnderCheck) -> Finding:
    """Judge the heat by the limits that apply before a task."""
    condition = phone.condition
    why = fitness.why_unfit(Condition(celsius=condition.celsius, thermal=condition.thermal), phone.limits)
    if why is not None:
        return phone.finding("heat", why, "failure", "let it cool: no sun, no cover; a slower charger")
    if condition.celsius is None:
        return phone.finding("heat", "it does not tell its temperature")
    status = "" if condition.thermal is None else f", thermal status {condition.thermal}"
    return phone.finding("heat", f"{condition.celsius:.1f} °C{status}")


def check_storage(phone: PhoneUnderCheck) -> Finding:
    """Judge the free storage by the limits that apply before a task."""
    condition = phone.condition
    why = fitness.why_unfit(Condition(free_mb=condition.free_mb), phone.limits)
    if why is not None:
        return phone.finding("storage", why, "failure", shell="pm trim-caches 2G")
    if condition.free_mb is None:
        return phone.finding("storage", "it does not tell what is free")
    return phone.finding("storage", f"{condition.free_mb / 1024:.1f} GB free")


def check_animations(phone: PhoneUnderCheck) -> Finding:
    """Judge whether animations are on. Every action waits until they end."""
    scale = phone.facts.animations
    if not scale:
        return phone.finding("animations", "off" if scale == 0 else "it does not tell")
    off = "; ".join(f"settings put global {name} 0" for name in ANIMATION_SCALES)
    summary = f"at {scale:g}: every action waits for them"
    return phone.finding("animations", summary, "warning", shell=off, harmless=True)


def check_notifications(phone: PhoneUnderCheck) -> Finding:
    """Judge whether notifications pop up over apps."""
    has_heads_up = phone.facts.heads_up
    if has_heads_up:
        summary = "they come in over apps, and a task may tap one"
        return phone.finding(
            "notifications", summary, "warning", shell="settings put global heads_up_notifications_enabled 0"
        )
    return phone.finding("notifications", "they stay in the shade" if has_heads_up is False else "it does not tell")


PHONE_CHECKS: tuple[PhoneCheck, ...] = (
    check_android,
    check_screen,
    check_lock,
    check_stays_awake,
    check_keyboard,
    check_resolution,
    check_battery,
    check_heat,
    check_storage,
    check_animations,
    check_notifications,
)
