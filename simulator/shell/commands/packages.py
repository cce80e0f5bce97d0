"""Provide ``pm`` and ``cmd package``: tell what is installed, and which activity an intent would start.

Android's shell does not tell the label of an app: ``dumpsys package``, ``pm dump`` and ``query-activities`` hold
resource ids instead of texts. So clients of real phones need a table of labels. A virtual phone lists its labels at
``content://manyhands.simulator/apps``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from manyhands.simulator.phone.device import AppInfo, InstallableDevice, InstallRefused, UnknownComponent
from manyhands.simulator.shell.command import BAD_USAGE, FAILED, Call, Command
from manyhands.simulator.shell.commands.dumpsys import package
from manyhands.simulator.shell.intents import HOME, LAUNCHER, MAIN, Intent, IntentError, parse_intent
from manyhands.simulator.system.phone_system import PhoneSystem, short_component

FIRST_UID = 10100
MATCH = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false"


async def pm(call: Call) -> int:
    actions = {
        "list": list_,
        "path": path,
        "clear": clear,
        "dump": dump,
        "resolve-activity": resolve_activity,
        "query-activities": query_activities,
        "install": install,
        "install-create": install_create,
        "install-write": install_write,
        "install-commit": install_commit,
        "install-abandon": install_abandon,
        "uninstall": uninstall,
        "grant": grant,
    }
    action = actions.get(call.args[0]) if call.args else None
    if action is None:
        await call.complain("Package manager (package) commands: " + ", ".join(actions))
        return BAD_USAGE
    try:
        return await action(call, call.args[1:])
    except IntentError as error:
        await call.complain(f"Error: {error}")
        return FAILED


def apk_path(app: AppInfo) -> str:
    return f"/system/app/{app.package}/base.apk" if app.system else f"/data/app/{app.package}-1/base.apk"


async def list_(call: Call, args: Sequence[str]) -> int:
    """Run ``list packages [-3] [-s] [-e] [-d] [-f] [-U] [--show-versioncode] [FILTER]``."""
    options, names = replace(call, args=tuple(args)).options("3sedfU", ("user=", "show-versioncode"))
    if names[:1] not in (["packages"], ["package"]):
        await call.complain(f"Error: unknown list type {' '.join(names[:1])!r}")
        return BAD_USAGE
    text = "".join(names[1:2])
    lines = []
    for index, app in enumerate(call.phone.device.apps()):
        if "-d" in options or text not in app.package or ("-3" in options and app.system):
            continue
        if "-s" in options and not app.system:
            continue
        name = f"{apk_path(app)}={app.package}" if "-f" in options else app.package
        version = f" versionCode:{app.version}" if "--show-versioncode" in options else ""
        lines.append(f"package:{name}{version}" + (f" uid:{FIRST_UID + index}" if "-U" in options else ""))
    if lines:
        await call.print("\n".join(lines))
    return 0


def package_of(args: Sequence[str]) -> str:
    """Return the first argument that is not an option. Raises IntentError."""
    rest = list(args)
    while "--user" in rest:
        del rest[rest.index("--user") : rest.index("--user") + 2]
    names = [arg for arg in rest if not arg.startswith("-")]
    if not names:
        raise IntentError("no package specified")
    return names[0]


async def path(call: Call, args: Sequence[str]) -> int:
    try:
        await call.print(f"package:{apk_path(call.phone.app(package_of(args)))}")
    except UnknownComponent:
        return FAILED
    return 0


async def clear(call: Call, args: Sequence[str]) -> int:
    try:
        call.phone.device.clear_data(call.phone.app(package_of(args)).package)
    except UnknownComponent:
        await call.complain("Failed")
        return FAILED
    await call.print("Success")
    return 0


async def dump(call: Call, args: Sequence[str]) -> int:
    await call.print(package(call.phone, (package_of(args),)))
    return 0


# ---------------------------------------------------------------------------- launcher activities
def candidates(phone: PhoneSystem, intent: Intent) -> list[str]:
    """Return the components, in short form, that could start for an intent of a launcher, a home key or a link."""
    apps = phone.device.apps()
    if HOME in intent.categories:
        return [short_component(phone.device.home())]
    if intent.link is not None:
        try:
            return [short_component(phone.device.resolve(intent.link))]
        except UnknownComponent:
            return []
    if intent.action not in (None, MAIN) or not set(intent.categories) <= {LAUNCHER}:
        return []
    if intent.action is None and not intent.categories and intent.package is None and intent.component is None:
        return []
    wanted = intent.component.partition("/")[0] if intent.component else intent.package
    return [
        short_component(f"{app.package}/{app.activity}")
        for app in apps
        if app.activity and wanted in (None, app.package)
    ]


async def resolve_activity(call: Call, args: Sequence[str]) -> int:
    """Run ``resolve-activity --brief [intent]``: print the one activity that would start."""
    intent = parse_intent([arg for arg in args if arg not in ("--brief", "--components")])
    found = candidates(call.phone, intent)
    if not found:
        await call.print("No activity found")
    elif "--components" in args:
        await call.print(found[0])
    else:
        await call.print(f"{MATCH}\n{found[0]}")
    return 0


async def query_activities(call: Call, args: Sequence[str]) -> int:
    """Run ``query-activities --brief [intent]``: print all activities that match; with ``--components`` only names."""
    intent = parse_intent([arg for arg in args if arg not in ("--brief", "--components")])
    found = candidates(call.phone, intent)
    if not found:
        await call.print("No activities found")
    elif "--components" in args:
        await call.print("\n".join(found))
    else:
        rows = [f"  Activity #{index}:\n    {MATCH}\n    {name}" for index, name in enumerate(found)]
        await call.print("\n".join((f"{len(found)} activities found:", *rows)))
    return 0


# ---------------------------------------------------------------------------- installing
async def install(call: Call, args: Sequence[str]) -> int:
    """Refuse to install a package, in the words of phones that forbid it.

    A streamed package (``-S SIZE``) is read first, because its sender sends it all before it reads the answer.
    """
    size = args[args.index("-S") + 1] if "-S" in args[:-1] else "0"
    missing = int(size) if size.isdecimal() else 0
    while missing > 0 and (piece := await call.stdio.stdin.read()):
        missing -= len(piece)
    await call.complain("Failure [INSTALL_FAILED_USER_RESTRICTED: a virtual phone installs no packages]")
    return FAILED


async def install_create(call: Call, args: Sequence[str]) -> int:
    """Begin a session, whose total size ``-S`` tells."""
    size = args[args.index("-S") + 1] if "-S" in args[:-1] else "0"
    if not isinstance(call.phone.device, InstallableDevice):
        return await install(call, ())
    if size.isdecimal() and int(size) > call.phone.free_kb * 1024:
        await call.complain("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to allocate space]")
        return FAILED
    session = call.phone.install_sessions.begin()
    await call.print(f"Success: created install session [{session}]")
    return 0


async def install_write(call: Call, args: Sequence[str]) -> int:
    """Run ``install-write -S SIZE SESSION NAME PATH``: add a file of the phone to a session."""
    if len(args) != 5 or args[0] != "-S":
        await call.complain("Error: a virtual phone knows install-write -S SIZE SESSION NAME PATH")
        return BAD_USAGE
    _, size, session, name, path_ = args
    try:
        data = call.phone.files.read(path_)
    except OSError as error:
        await call.complain(f"Error: failed to write; {error.strerror}")
        return FAILED
    if str(len(data)) != size or not call.phone.install_sessions.add(session, name, data):
        await call.complain("Error: java.lang.SecurityException: Caller has no access to session, or a wrong size")
        return FAILED
    await call.print(f"Success: streamed {size} bytes")
    return 0


async def install_commit(call: Call, args: Sequence[str]) -> int:
    files = call.phone.install_sessions.end(args[0] if args else "")
    device = call.phone.device
    if files is None or not isinstance(device, InstallableDevice):
        await call.complain("Error: java.lang.SecurityException: Caller has no access to session")
        return FAILED
    try:
        device.install(files)
    except InstallRefused as error:
        await call.complain(f"Failure [{error}]")
        return FAILED
    await call.print("Success")
    return 0


async def install_abandon(call: Call, args: Sequence[str]) -> int:
    call.phone.install_sessions.end(args[0] if args else "")
    await call.print("Success")
    return 0


async def uninstall(call: Call, args: Sequence[str]) -> int:
    device = call.phone.device
    try:
        if not isinstance(device, InstallableDevice):
            raise UnknownComponent
        device.uninstall(package_of(args))
    except UnknownComponent:
        await call.complain("Failure [DELETE_FAILED_INTERNAL_ERROR]")
        return FAILED
    await call.print("Success")
    return 0


async def grant(call: Call, args: Sequence[str]) -> int:
    """Grant a permission of Android's own to an app. Nothing on a virtual phone asks for it."""
    name = args[-1] if len(args) > 1 else ""
    try:
        call.phone.app(package_of(args))
    except UnknownComponent:
        name = ""
    if not name.startswith("android.permission."):
        await call.complain(f"Exception occurred while executing 'grant':\nSecurityException: {' '.join(args)}")
        return FAILED
    return 0


COMMANDS = {"pm": Command(pm)}
