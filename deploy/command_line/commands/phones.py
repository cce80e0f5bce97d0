"""``manyhands phones``: the phones that this machine lists, and those of other places."""

from __future__ import annotations

from collections.abc import Sequence

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.fleet.places import Places
from manyhands.deploy.fleet.transports import transport_of
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.sites import names_of
from manyhands.protocol.phones import site_of

EXAMPLE = "Example: manyhands phones --json"


@options.with_settings("phones")
def command(given: options.ReadGiven, config: options.Config = None, as_json: options.AsJson = False) -> None:
    """List the phones of this machine, or of the places that --phones names, and whether they can be used."""
    settings = load_settings(given(), config)
    carry_out(lambda: _list(Places(settings, transport_of), names_of(settings.phones), as_json), as_json)


async def _list(places: Places, named: Sequence[str], as_json: bool) -> int:
    async with places:
        listed = await places.phones()
    if as_json:
        say_json([phone.model_dump(mode="json", exclude={"product"}) for phone in listed])
        return 0
    console = text_console()
    if listed:
        rows = [(phone.serial, phone.state, phone.model) for phone in listed]
        console.print(table(None, ("serial", "state", "model"), rows))
    sites = {site_of(phone.serial) for phone in listed}
    unserved = [name for name in named if site_of(name) and site_of(name) not in sites]
    for name in unserved:
        line = f"{name}: no phone of this site is known; serve some there by 'manyhands gateway'"
        console.print(line, markup=False, soft_wrap=True)
    if not listed and not unserved:
        console.print("No phone is listed. Plug one in, or try: manyhands simulate --phones 4")
    return 0
