"""``manyhands broker``: run the MQTT broker between gateways and the cluster."""

from __future__ import annotations

import json
import shlex
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from manyhands.actors.clock import RealClock
from manyhands.deploy.command_line import options
from manyhands.deploy.command_line.help import PlainCommand, PlainGroup
from manyhands.deploy.command_line.output import carry_out, failing_with_a_line, own_name, say_json, text_console
from manyhands.deploy.mosquitto.access import Kind
from manyhands.deploy.mosquitto.configuration import (
    LOOPBACK,
    PASSWORD_VARIABLE,
    USER_VARIABLE,
    BrokerFolder,
    BrokerListener,
    Listening,
    find_program,
    free_port,
)
from manyhands.deploy.mosquitto.supervisor import Broker, BrokerEvent
from manyhands.deploy.settings.loading import load_settings
from manyhands.protocol.errors import BadInput
from manyhands.protocol.utilities import secure_files

EXAMPLE = "Example: manyhands broker --site shop. Exit codes: 130 after Ctrl-C, 1 it was given up, 2 bad input."
CLUSTER_USER = "cluster"
TLS_PORT, PLAIN_PORT = 8883, 1883
ANYWHERE = ("0.0.0.0", "::")
NAMES_HERE = ("localhost", LOOPBACK)

Folder = Annotated[
    Path | None, typer.Option("--folder", help="Where all is kept. Default: broker in the settings' state_dir.")
]
Names = Annotated[list[str], typer.Argument(help="One or several names.")]

app = typer.Typer(
    cls=PlainGroup, add_completion=False, pretty_exceptions_enable=False, epilog=EXAMPLE, invoke_without_command=True
)


@app.callback()
def start(
    context: typer.Context,
    sites: Annotated[list[str] | None, typer.Option("--site", help="Let this site in; repeat it.")] = None,
    users: Annotated[
        list[str] | None, typer.Option("--user", help="Let this user of the cluster in; repeat it. Always: cluster.")
    ] = None,
    listen: Annotated[str, typer.Option("--listen", help="The address to listen on.")] = LOOPBACK,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Default: 8883, 1883 without TLS. 0: a free one.")
    ] = None,
    certificate_port: Annotated[
        int | None,
        typer.Option(
            "--certificate-port", min=0, max=65535, help="Another port, where certificates take the place of passwords."
        ),
    ] = None,
    names: Annotated[
        list[str] | None, typer.Option("--name", help="A host name or address that clients use; repeat it.")
    ] = None,
    tls: Annotated[bool, typer.Option("--tls/--no-tls", help="Without TLS it listens on this machine only.")] = True,
    mosquitto: Annotated[
        str | None, typer.Option("--mosquitto", help="Its executable. Default: on PATH, then where packages put it.")
    ] = None,
    folder: Folder = None,
    as_json: options.AsJson = False,
) -> None:
    """Start the installed mosquitto for gateways beside phones: TLS, a user for each site. It runs until Ctrl-C."""
    if context.invoked_subcommand is not None:
        return

    async def serve() -> int:
        program = find_program(mosquitto)
        broker_folder = BrokerFolder(_folder(folder))
        listening = _listening(listen, port, certificate_port, tuple(names or ()), tls)
        with broker_folder.served():
            broker_folder.add_all({"cluster": (CLUSTER_USER, *(users or ())), "site": tuple(sites or ())})
            broker = Broker(broker_folder.path, listening, program, RealClock())
            await broker.run(_Account(broker_folder.path, listening, as_json))
        return 0

    carry_out(serve, as_json)


@app.command(
    "add-site",
    cls=PlainCommand,
    epilog="Example: manyhands broker add-site shop lab; then 'manyhands broker show' says how they connect.",
)
def add_site(names: Names, folder: Folder = None, as_json: options.AsJson = False) -> None:
    """Admit sites. A running broker starts again within a second, and links to it connect again."""
    _change(folder, as_json, lambda broker: broker.add_all({"cluster": (CLUSTER_USER,), "site": names}))


@app.command(
    "add-user",
    cls=PlainCommand,
    epilog="Example: manyhands broker add-user night-runs. 'manyhands broker show' says how it connects.",
)
def add_user(names: Names, folder: Folder = None, as_json: options.AsJson = False) -> None:
    """Admit users of the cluster; `manyhands run` needs one. A running broker starts again."""
    _change(folder, as_json, lambda broker: broker.add("cluster", CLUSTER_USER, *names))


@app.command(
    "remove",
    cls=PlainCommand,
    epilog="Example: manyhands broker remove lab. Whoever has its files is let in no more.",
)
def remove(names: Names, folder: Folder = None, as_json: options.AsJson = False) -> None:
    """Stop admitting sites or users. A running broker starts again."""
    _change(folder, as_json, lambda broker: broker.remove(*names), there=True)


@app.command(
    "show",
    cls=PlainCommand,
    epilog="Example: manyhands broker show --json. Passwords are not printed: they stay in the files that it names.",
)
def show(folder: Folder = None, as_json: options.AsJson = False) -> None:
    """Print what gateways and runs need to connect."""
    _change(folder, as_json, lambda broker: None, there=True)


def _change(folder: Path | None, as_json: bool, change: Callable[[BrokerFolder], None], there: bool = False) -> None:
    with failing_with_a_line(as_json):
        path = _folder(folder)
        if there and not path.is_dir():
            raise BadInput(f"there is no folder {path}: 'manyhands broker' makes it, or --folder names another one")
        broker = BrokerFolder(path)
        change(broker)
        about = broker.path / _ABOUT
        credentials = json.loads(about.read_text(encoding="utf-8")) if about.is_file() else {}
        _print(_connecting(broker, credentials), as_json)


_ABOUT = "broker.json"
"""The file with the broker's addresses. Other commands read it, while the broker runs or later."""


class _Account:
    """Print when the broker begins to run, and why it has ended. Without JSON, print only its first beginning."""

    def __init__(self, folder: Path, listening: Listening, as_json: bool) -> None:
        self._folder = folder
        self._listening = listening
        self._as_json = as_json
        self._known = False

    def __call__(self, event: BrokerEvent) -> None:
        if event.why:
            text_console(stderr=True).print(event.why, markup=False, soft_wrap=True)
            return
        folder = BrokerFolder(self._folder)
        by = {one.certificates: self._listening.url(one) for one in self._listening.listeners}
        about = {
            "url": by[False],
            "certificate_url": by.get(True),
            "ca": str(folder.ca) if self._listening.hosts else None,
        }
        secure_files.replace_text(self._folder / _ABOUT, json.dumps(about))
        value = {**_connecting(folder, about), "pid": event.pid}
        if self._as_json:
            say_json(value)
        elif not self._known:
            _print(value, False)
            text_console().print("The broker runs; Ctrl-C stops it.")
        self._known = True


def _folder(folder: Path | None) -> Path:
    return (folder or load_settings({}).state_dir / "broker").expanduser().absolute()


def _listening(
    listen: str, port: int | None, certificate_port: int | None, names: tuple[str, ...], tls: bool
) -> Listening:
    """Return where to listen. Raises BadInput if passwords would cross a network unencrypted."""
    if not tls and (listen not in NAMES_HERE or certificate_port is not None):
        raise BadInput("--no-tls is for this machine alone: leave --listen and --certificate-port out")
    listeners = [BrokerListener(listen, _port(listen, TLS_PORT if tls else PLAIN_PORT, port))]
    if certificate_port is not None:
        listeners.append(BrokerListener(listen, _port(listen, certificate_port, certificate_port), certificates=True))
    own = (socket.gethostname(),) if listen in ANYWHERE else (listen,)
    hosts = tuple(dict.fromkeys((*names, *own, *NAMES_HERE)))
    return Listening(tuple(listeners), hosts if tls else ())


def _port(host: str, usual: int, port: int | None) -> int:
    return free_port(host) if port == 0 else port or usual


def _connecting(broker: BrokerFolder, about: dict[str, Any]) -> dict[str, Any]:
    """Return what gateways and runs need to connect. Passwords stay in their files."""
    by_certificate = bool(about.get("certificate_url"))

    def of(kind: Kind) -> dict[str, Any]:
        variables = {}
        for name in broker.clients_of(kind):
            one = broker.credentials(name, by_certificate)
            pair = one.certificate
            files = {"cert": str(pair.cert), "key": str(pair.key)} if pair else {}
            variables[name] = {"environment": str(one.environment), **files}
        return variables

    return {
        "folder": str(broker.path),
        **about,
        "user_env": USER_VARIABLE,
        "password_env": PASSWORD_VARIABLE,
        "sites": of("site"),
        "users": of("cluster"),
    }


def _print(value: dict[str, Any], as_json: bool) -> None:
    if as_json:
        say_json(value)
        return
    url = value.get("url") or "mqtts://HOST"
    ca = f" --mqtt-ca {shlex.quote(value['ca'])}" if value.get("ca") else ""
    lines = [f"Broker: {url}  Folder: {value['folder']}"]
    for name, one in value["sites"].items():
        lines += [
            f"\nSite {name}, on the machine with its phones, where {'these files go' if ca else 'this file goes'}:",
            f"  set -a; . {shlex.quote(one['environment'])}; set +a",
            f"  {own_name()} gateway --site {name} --broker {url}{ca} "
            f"--mqtt-user-env {USER_VARIABLE} --mqtt-password-env {PASSWORD_VARIABLE}",
        ]
    for name, one in value["users"].items():
        phones = shlex.quote(f"{url}/{next(iter(value['sites']), 'SITE')}/*")
        lines += [
            f"\nUser {name}, for runs:",
            f"  set -a; . {shlex.quote(one['environment'])}; set +a",
            f"  {own_name()} run --phones {phones}{ca} "
            f"--mqtt-user-env {USER_VARIABLE} --mqtt-password-env {PASSWORD_VARIABLE} ...",
        ]
    if not value.get("url"):
        lines.append(
            "\nIts address and certificates are made when it starts: then 'manyhands broker show' is complete."
        )
    text_console().print("\n".join(lines), markup=False, soft_wrap=True)
