"""Define ``manyhands phones``, which lists phones of this machine and of other places, and says which can be used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import EXIT_BAD_INPUT, carry_out, own_name, say_json, table, text_console
from manyhands.deploy.settings.fleet import FleetSettings
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.phones import SitePhones, behind_brokers
from manyhands.protocol.errors import BadInput
from manyhands.protocol.phones import WHOLE_SITE, site_of
from manyhands.service.commands import options as service_options

if TYPE_CHECKING:
    from manyhands.deploy.doctor.phone_steps import StepReport
    from manyhands.deploy.doctor.phones import PhoneReport


EXAMPLE = (
    "Example: manyhands phones --check R58M123ABC. Exit codes: 0, 2 where a phone that is named is absent, or a step "
    "of --check is missing."
)


@options.with_settings("phones")
def command(
    read_settings: options.ReadGiven,
    check: Annotated[
        str | None,
        typer.Option("--check", metavar="SERIAL", help="Go through docs/real-phones.md with this phone, step by step."),
    ] = None,
    server: service_options.NamedServer = None,
    ca: service_options.Ca = None,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """List the phones of this machine, or of the places that --phones names, and whether they can be used.

    With --server, list those of a service, and what they do.

    This changes nothing on the phones. Only --check opens the search of a phone's settings and types a text there.
    """
    if server is not None:
        if check is not None or read_settings():
            raise BadInput("--server lists the phones of a service: leave --check and settings of this machine out")
        carry_out(lambda: _list_of_service(server, ca, as_json), as_json)
    settings = load_settings(read_settings(), config)
    if check is not None:
        carry_out(lambda: _check(settings, check, as_json), as_json)
    carry_out(lambda: _list(settings, as_json), as_json)


async def _list(settings: FleetSettings, as_json: bool) -> int:
    from manyhands.deploy.doctor.phones import report_phones

    far = behind_brokers(settings.phones)
    reports = await report_phones(settings, with_labels=as_json)
    if as_json:
        say_json([report.as_json() for report in reports])
    elif reports:
        text_console().print(table(None, COLUMNS, map(columns_of, reports)))
        for line in _reasons(reports):
            text_console().print(line, soft_wrap=True)
    elif not far:
        text_console().print(
            f"No phone is listed. Plug one in (docs/real-phones.md), or try: {own_name()} simulate --phones 4"
        )
    absent = list(_missing(far, {report.info.serial for report in reports}))
    for line in absent:
        text_console(stderr=True).print(line, soft_wrap=True)
    return EXIT_BAD_INPUT if absent else 0


async def _list_of_service(server: str, ca: Path | None, as_json: bool) -> int:
    from manyhands.service.commands.tables import phone_table

    async with service_options.open_client(server, ca) as client:
        phones = await client.phones()
    if as_json:
        say_json([phone.model_dump(mode="json") for phone in phones])
    else:
        text_console().print(phone_table(phones))
    return 0


def _reasons(reports: Sequence[PhoneReport]) -> Iterator[str]:
    """Yield a line for each reason why a phone cannot be used. The line also says how to mend it."""
    for report in reports:
        for one in report.findings:
            if one.status == "failure":
                yield f"{report.info.serial}: {one.name}: {one.found}{f' -> {one.mend}' if one.mend else ''}"


def _missing(named: Sequence[SitePhones], listed: set[str]) -> Iterator[str]:
    """Yield a line for each name of phones behind a broker that matches no listed phone."""
    for place in named:
        there = [serial for serial in sorted(listed) if site_of(serial) == place.site]
        if not there:
            yield f"{place.name}: nobody serves site {place.site}, or it has no phone; see 'manyhands gateway' there"
        elif place.name not in listed and place.name != f"{place.site}{WHOLE_SITE}":
            yield f"{place.name}: site {place.site} has no such phone"


async def _check(settings: FleetSettings, serial: str, as_json: bool) -> int:
    from manyhands.deploy.doctor.phone_steps import walk

    steps: list[StepReport] = []
    async for step in walk(settings, serial):
        steps.append(step)
        if not as_json:
            for line in step.lines:
                text_console().print(line, soft_wrap=True)
    passed = all(step.passed for step in steps)
    if as_json:
        say_json({"serial": serial, "usable": passed, "steps": [step.as_json() for step in steps]})
    elif passed:
        goal = f'{own_name()} run --goal "Turn on dark mode" --phones {serial} --mllm-url http://GPU-HOST:8000/v1'
        text_console().print(f"It can be given tasks: {goal}", soft_wrap=True)
    return 0 if passed else EXIT_BAD_INPUT


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
    condition, size = facts.condition, facts.size
    charge = {True: " +", False: "", None: ""}[condition.charging]
    return (
        info.serial,
        info.model or facts.model,
        facts.release or "-",
        "-" if size is None else f"{size.width}x{size.height}",
        "-" if condition.battery is None else f"{condition.battery:.0f} %{charge}",
        "-" if condition.celsius is None else f"{condition.celsius:.0f} °C",
        "-" if condition.free_mb is None else f"{condition.free_mb / 1024:.1f} GB",
        "yes" if facts.has_adb_keyboard else "no",
        "-" if facts.animations is None else "off" if facts.animations == 0 else f"x{facts.animations:g}",
        _usable(report),
    )


def _usable(report: PhoneReport) -> str:
    if not report.usable:
        return f"no: {report.why_not}"
    return f"in use by {report.holder}" if report.holder else "yes"
