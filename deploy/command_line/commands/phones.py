"""``manyhands phones``: what adb lists."""

from __future__ import annotations

from manyhands.actors.seams import PhoneTransport
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, table, text_console
from manyhands.deploy.fleet.transports import transport_of
from manyhands.deploy.settings.loading import load_settings

EXAMPLE = "Example: manyhands phones --json"


@options.with_settings("phones")
def command(given: options.ReadGiven, config: options.Config = None, as_json: options.AsJson = False) -> None:
    """List the phones that adb sees, and whether they can be used."""
    settings = load_settings(given(), config)
    carry_out(lambda: _list(transport_of(settings), as_json), as_json)


async def _list(transport: PhoneTransport, as_json: bool) -> int:
    await transport.ensure_running()
    await transport.start()
    try:
        listed = await transport.phones()
    finally:
        await transport.stop()
    if as_json:
        say_json([phone.model_dump(mode="json", exclude={"product"}) for phone in listed])
    elif listed:
        rows = [(phone.serial, phone.state, phone.model) for phone in listed]
        text_console().print(table(None, ("serial", "state", "model"), rows))
    else:
        text_console().print("adb lists no phone. Plug one in, or try: manyhands simulate --phones 4")
    return 0
