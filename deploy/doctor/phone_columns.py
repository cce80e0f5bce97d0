"""Show what was found of each phone as a row of a table."""

from __future__ import annotations

from manyhands.deploy.doctor.phones import PhoneReport

COLUMNS = (
    "serial",
    "model",
    "Android",
    "screen",
    "battery",
    "heat",
    "free",
    "ADBKeyboard",
    "animations",
    "can be used",
)


def columns_of(report: PhoneReport) -> tuple[str, ...]:
    """Return a row with the values of COLUMNS. An unknown value is a dash."""
    info, facts = report.info, report.facts
    if facts is None:
        unknown = ["-"] * (len(COLUMNS) - 3)
        return (info.serial, info.model or "-", *unknown, _usable(report))
    found, size = facts.condition, facts.size
    charge = {True: " +", False: "", None: ""}[found.charging]
    return (
        info.serial,
        info.model or facts.model,
        facts.release or "-",
        "-" if size is None else f"{size.width}x{size.height}",
        "-" if found.battery is None else f"{found.battery:.0f} %{charge}",
        "-" if found.celsius is None else f"{found.celsius:.0f} °C",
        "-" if found.free_mb is None else f"{found.free_mb / 1024:.1f} GB",
        "yes" if facts.has_adb_keyboard else "no",
        "-" if facts.animations is None else "off" if facts.animations == 0 else f"x{facts.animations:g}",
        _usable(report),
    )


def _usable(report: PhoneReport) -> str:
    if not report.usable:
        return f"no: {report.why_not}"
    return f"in use by {report.holder}" if report.holder else "yes"
