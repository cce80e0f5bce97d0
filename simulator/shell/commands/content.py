"""Provide ``content`` for Android's providers (``shell.providers``) and for ``content://manyhands.simulator/...``.

Only virtual phones have the second provider:

    content query --uri content://manyhands.simulator/state
        Row: 0 json=<base64 of UTF-8 JSON>         the device's true state, an object
    content query --uri content://manyhands.simulator/lasting
        Row: 0 json=<base64 of UTF-8 JSON>         the lasting part of it: settings, notes, messages, cart, orders
    content query --uri content://manyhands.simulator/rest
        Row: 0 json=<base64 of UTF-8 JSON>         {resting, since}: whether the screen rests, and since when (Unix s)
    content query --uri content://manyhands.simulator/ledger
        Row: 0 json=<base64 of UTF-8 JSON>         {rows}: a list of {seq, at, key, line}
    content query --uri content://manyhands.simulator/reached
        Row: 0 json=<base64 of UTF-8 JSON>         {rows}: for each line of the ledger {key, reached}: the views that
                                                   its inputs reached, with their pages, without coordinates
    content query --uri content://manyhands.simulator/left
        Row: 0 json=<base64 of UTF-8 JSON>         {rows}: for each reset {lines, state}: the state before the line that
                                                   resets, and how many lines the ledger had then
    content query --uri content://manyhands.simulator/apps
        Row: 0 label=..., package=..., activity=...        one row for each app in the launcher
    content call --uri content://manyhands.simulator --method reset --arg SEED
        Result: Bundle[{ok=true}]                  sets the device to what the seed gives, and empties its files

``content://settings/NAMESPACE`` lists settings as on Android. Errors are printed as on Android: to stderr, with exit
status 0.
"""

from __future__ import annotations

import base64
import itertools
import json
from typing import Any

from manyhands.simulator.phone.device import TimedScreen
from manyhands.simulator.shell.command import FAILED, Call, Command
from manyhands.simulator.shell.commands.settings import NAMESPACES, all_settings
from manyhands.simulator.shell.providers import COLUMNS, ProviderError, insert_row, query_rows

AUTHORITY = "manyhands.simulator"
SETTINGS = "settings"
SCHEME = "content://"


def options_of(args: tuple[str, ...]) -> dict[str, str]:
    """Return the values of ``--name value`` pairs by name. If a name occurs twice, its last value counts."""
    return {name: value for name, value in itertools.pairwise(args) if name.startswith("--")}


async def content(call: Call) -> int:
    options = options_of(call.args[1:])
    uri = options.get("--uri", "")
    if not call.args or call.args[0] not in ("query", "insert", "call") or not uri:
        await call.complain("usage: adb shell content [subcommand] [options]\n[ERROR] query, insert or call with --uri")
        return FAILED
    authority, _, path = uri.removeprefix(SCHEME).partition("/")
    try:
        if not uri.startswith(SCHEME) or authority not in (AUTHORITY, SETTINGS, *COLUMNS):
            raise ProviderError(f"java.lang.IllegalStateException: Could not find provider: {authority}")
        if call.args[0] == "query":
            await call.print(query(call, authority, path.rstrip("/"), uri, options))
        elif call.args[0] == "insert":
            bindings = [value for name, value in itertools.pairwise(call.args) if name == "--bind"]
            insert_row(call.phone, authority, path.rstrip("/"), bindings)
        else:
            await call.print(f"Result: {provider_call(call, authority, options)}")
    except ProviderError as error:
        await call.complain(
            f"Error while accessing provider:{authority}\n{error}\n"
            "\tat com.android.commands.content.Content$Command.execute(Content.java:519)"
        )
    return 0


def query(call: Call, authority: str, path: str, uri: str, options: dict[str, str]) -> str:
    """Return the rows of a query as text. Raises ProviderError, NotSimulated."""
    if authority == SETTINGS and path in NAMESPACES:
        values = all_settings(call.phone, path)
        rows = [f"_id={index}, name={name}, value={values[name]}" for index, name in enumerate(sorted(values))]
    elif authority == AUTHORITY and path == "state":
        rows = [f"json={packed(call.phone.device.state())}"]
    elif authority == AUTHORITY and path == "lasting":
        rows = [f"json={packed(call.phone.device.lasting_state())}"]
    elif authority == AUTHORITY and path == "rest" and isinstance(call.phone.device, TimedScreen):
        rows = [f"json={packed(call.phone.device.rest())}"]
    elif authority == AUTHORITY and path == "ledger":
        rows = [f"json={packed({'rows': call.phone.ledger.rows()})}"]
    elif authority == AUTHORITY and path == "reached":
        rows = [f"json={packed({'rows': call.phone.reached_rows()})}"]
    elif authority == AUTHORITY and path == "left":
        rows = [f"json={packed({'rows': call.phone.left_rows()})}"]
    elif authority == AUTHORITY and path == "apps":
        apps = [app for app in call.phone.device.apps() if app.activity]
        rows = [f"label={app.label}, package={app.package}, activity={app.activity}" for app in apps]
    elif authority in COLUMNS:
        rows = query_rows(call.phone, authority, path, options)
    else:
        raise ProviderError(f"java.lang.IllegalArgumentException: Unknown URI {uri}")
    return "\n".join(f"Row: {index} {row}" for index, row in enumerate(rows)) or "No result found."


def packed(value: Any) -> str:
    """Return a value as JSON in base64, so that any text fits in a row of one line."""
    return base64.b64encode(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")).decode()


def provider_call(call: Call, authority: str, options: dict[str, str]) -> str:
    """Call a provider's method, and return its result. Raises ProviderError."""
    if authority != AUTHORITY or options.get("--method") != "reset":
        raise ProviderError(f"java.lang.UnsupportedOperationException: Unknown method {options.get('--method')}")
    try:
        seed = int(options.get("--arg", ""))
    except ValueError as error:
        raise ProviderError("java.lang.IllegalArgumentException: reset needs --arg SEED, an integer") from error
    call.phone.reset(seed)
    return "Bundle[{ok=true}]"


COMMANDS = {"content": Command(content)}
