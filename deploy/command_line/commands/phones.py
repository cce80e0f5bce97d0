"""``manyhands phones``: what adb lists."""

from __future__ import annotations

from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, fail, say_json, table, text_console
from manyhands.deploy.fleet.adb_server import AdbServer
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import ManyhandsError

EXAMPLE = "Example: manyhands phones --json"


@options.with_settings("phones")
def command(given: options.ReadGiven, config: options.Config = None, as_json: options.AsJson = False) -> None:
    """List the phones that adb sees, and whether they can be used."""
    try:
        settings = load_settings(given(), config)
    except ManyhandsError as error:
        fail(error, as_json)
    carry_out(lambda: _list(AdbServer(settings.adb_host, settings.adb_port), as_json), as_json)


async def _list(server: AdbServer, as_json: bool) -> int:
    await server.ensure()
    listed = await server.phones()
    if as_json:
        say_json([phone.model_dump(mode="json", exclude={"held_by"}) for phone in listed])
    elif listed:
        rows = [(phone.serial, phone.state, phone.model) for phone in listed]
        text_console().print(table(None, ("serial", "state", "model"), rows))
    else:
        text_console().print("adb lists no phone. Plug one in, or try: manyhands simulate --phones 4")
    return 0
