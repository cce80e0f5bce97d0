"""``manyhands phones``: the phones that this machine lists, and those of other places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.fleet.phone_locations import PhoneLocations
from manyhands.deploy.fleet.transports import transport_of
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.sites import SitePhones, behind_brokers
from manyhands.protocol.phones import WHOLE_SITE, site_of

EXAMPLE = "Example: manyhands phones --json"


@options.with_settings("phones")
def command(given: options.ReadGiven, config: options.Config = None, as_json: options.AsJson = False) -> None:
    """List the phones of this machine, or of the places that --phones names, and whether they can be used."""
    settings = load_settings(given(), config)
    carry_out(lambda: _list(PhoneLocations(settings, transport_of), behind_brokers(settings.phones), as_json), as_json)


async def _list(places: PhoneLocations, far: Sequence[SitePhones], as_json: bool) -> int:
    async with places:
        listed = await places.phones()
    if as_json:
        say_json([phone.model_dump(mode="json", exclude={"product"}) for phone in listed])
    elif listed:
        rows = [(phone.serial, phone.state, phone.model) for phone in listed]
        text_console().print(table(None, ("serial", "state", "model"), rows))
    elif not far:
        text_console().print("No phone is listed. Plug one in, or try: manyhands simulate --phones 4")
    for line in _missing(far, {phone.serial for phone in listed}):
        text_console(stderr=True).print(line, markup=False, soft_wrap=True)
    return 0


def _missing(named: Sequence[SitePhones], listed: set[str]) -> Iterator[str]:
    """Return a line for each place behind a broker that was named and has nothing that is listed."""
    for place in named:
        if not any(site_of(serial) == place.site for serial in listed):
            yield f"{place.name}: nobody serves site {place.site}, or it has no phone; see 'manyhands gateway' there"
        elif place.name not in listed and place.name != f"{place.site}{WHOLE_SITE}":
            yield f"{place.name}: site {place.site} has no such phone"
