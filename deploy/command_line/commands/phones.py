"""``manyhands phones``: the phones that this machine lists, and those of other places."""

from __future__ import annotations

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.fleet.places import Places
from manyhands.deploy.fleet.transports import transport_of
from manyhands.deploy.settings.loading import load_settings

EXAMPLE = "Example: manyhands phones --json"


@options.with_settings("phones")
def command(given: options.ReadGiven, config: options.Config = None, as_json: options.AsJson = False) -> None:
    """List the phones of this machine, or of the places that --phones names, and whether they can be used."""
    settings = load_settings(given(), config)
    carry_out(lambda: _list(Places(settings, transport_of), as_json), as_json)


async def _list(places: Places, as_json: bool) -> int:
    async with places:
        listed = await places.phones()
    if as_json:
        say_json([phone.model_dump(mode="json", exclude={"product"}) for phone in listed])
    elif listed:
        rows = [(phone.serial, phone.state, phone.model) for phone in listed]
        text_console().print(table(None, ("serial", "state", "model"), rows))
    else:
        text_console().print("No phone is listed. Plug one in, or try: manyhands simulate --phones 4")
    return 0
