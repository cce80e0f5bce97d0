"""``manyhands gateway``: serve the phones of this machine through a broker."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import ValidationError

from manyhands.actors.edge.settings import BrokerAddress, SiteSettings
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.output import carry_out, say_json, text_console
from manyhands.deploy.settings.loading import load_settings
from manyhands.deploy.settings.phones import identity_note
from manyhands.protocol.edge.topics import NAME
from manyhands.protocol.errors import BadInput, explain

if TYPE_CHECKING:
    from manyhands.deploy.edge_gateway import GatewayReady

EXAMPLE = (
    "Example: manyhands gateway --site lab --broker mqtts://broker.example --mqtt-ca ca.crt "
    "--mqtt-user-env LAB_USER --mqtt-password-env LAB_PASSWORD; then elsewhere: manyhands run --phones "
    "'mqtts://broker.example/lab/*' ... (docs/edge.md). "
    "Exit codes: 130 after Ctrl-C, 2 where the broker, its certificate or our password is wrong."
)
_LEASE_S = SiteSettings.model_fields["lease_s"].default


@options.with_settings("gateway")
def command(
    read_settings: options.ReadGiven,
    site: Annotated[str, typer.Option("--site", help="What this site is called: its phones are SITE/SERIAL.")],
    broker: Annotated[str, typer.Option("--broker", help="mqtts://HOST[:PORT], or mqtt:// without TLS.")],
    lossless: Annotated[bool, typer.Option("--lossless", help="Send pictures as PNG, four times the bytes.")] = False,
    lease_s: Annotated[
        float, typer.Option("--lease-s", min=1, max=3600, help="How long a lease runs at least, in seconds.")
    ] = _LEASE_S,
    config: options.Config = None,
    as_json: options.AsJson = False,
) -> None:
    """Serve the phones of this machine through a broker, until stopped."""
    from manyhands.actors.phones.secret_values import find_problems
    from manyhands.deploy.edge_gateway import MetricsAddress, serve
    from manyhands.deploy.fleet.phones.transports import transport_of

    settings = load_settings(read_settings(), config)
    if not re.fullmatch(NAME, site):
        raise BadInput(f"--site {site}: no name of a site, which is 1 to 64 letters, digits, '-' and '_'")
    try:
        named = SiteSettings(site=site, lossless=lossless, lease_s=lease_s)
    except ValidationError as error:
        raise BadInput(f"gateway: {explain(error, SiteSettings)}") from error
    address = BrokerAddress.of(broker)
    if address.path:
        raise BadInput(f"--broker {broker}: a broker has no path; the site is named by --site")
    at = settings.groups.mqtt.broker_settings(address)
    note = identity_note(at)
    if note:
        text_console(stderr=True).print(note, markup=False, soft_wrap=True)
    port = settings.metrics_port
    metrics = None if port is None else MetricsAddress(settings.metrics_host, port)

    def ready(served: GatewayReady) -> None:
        serials = [phone.serial for phone in served.phones]
        if as_json:
            say_json({"site": site, "broker": at.name, "phones": serials, "metrics": served.metrics})
            return
        console = text_console()
        console.print(f"Site {site} at {at.name}: {', '.join(serials) or 'no phone yet'}", markup=False, soft_wrap=True)
        if served.metrics is not None:
            console.print(f"Metrics: {served.metrics}", markup=False, soft_wrap=True)

    if problem := next(filter(None, find_problems(settings.secrets).values()), ""):
        raise BadInput(problem)

    async def stay() -> int:
        await serve(named, at, transport_of(settings), settings.state_dir, metrics, ready)
        return 0

    carry_out(stay, as_json)
