"""Provide ``dumpsys`` with those few lines of each service's report that adb clients look for."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence

from manyhands.simulator.phone.battery import BatteryError
from manyhands.simulator.phone.device import AppInfo, InstallableDevice, SecureScreen, UnknownComponent
from manyhands.simulator.shell.command import FAILED, Call, Command
from manyhands.simulator.shell.commands.notifications import report_notifications
from manyhands.simulator.system.device_log import APP
from manyhands.simulator.system.phone_system import (
    ANDROID_SDK,
    CREDENTIAL,
    NO_LOCK,
    PhoneSystem,
    full_component,
    short_component,
)

Report = Callable[[PhoneSystem, Sequence[str]], str]
DISPLAY_ID = "4619827259835644672"
INSTALLED_AT = "2024-01-01 00:00:00"
MOST_FAULTS = 20
"""So many apps that did not respond are kept in the dropbox."""


def tag(component: str) -> str:
    """Return a hexadecimal id like those of objects in reports. It is the same for the same component."""
    return f"{zlib.crc32(component.encode()):x}"


def as_word(fact: bool) -> str:
    return str(fact).lower()


def focus(phone: PhoneSystem) -> str:
    return full_component(phone.device.focus())


def window(phone: PhoneSystem, args: Sequence[str]) -> str:
    """Report focus, rotation, size and lock state."""
    component = focus(phone)
    short = short_component(component)
    width, height = phone.device.width, phone.device.height
    on, locked = as_word(phone.device.awake()), as_word(phone.lock != NO_LOCK)
    return "\n".join(
        (
            "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)",
            "  Display: mDisplayId=0",
            f"    init={width}x{height} {phone.device.density}dpi cur={width}x{height} app={width}x{height}",
            "    mCurrentRotation=ROTATION_0",
            "WINDOW MANAGER POLICY STATE (dumpsys window policy)",
            f"    mAwake={on} mScreenOnEarly={on} mScreenOnFully={on}",
            f"    showing={locked} secure={as_word(phone.lock == CREDENTIAL)}",
            f"    mShowingDream=false mDreamingLockscreen={locked} isKeyguardShowing={locked}",
            "WINDOW MANAGER WINDOWS (dumpsys window windows)",
            f"  Window #0 Window{{{tag(component)} u0 {component}}}:",
            f"    mDisplayId=0 mSession=Session{{{tag('session')} 4711:u0a10123}}",
            f"  mCurrentFocus=Window{{{tag(component)} u0 {component}}}",
            f"  mFocusedApp=ActivityRecord{{{tag(short)} u0 {short} t1}}",
        )
    )


def activity(phone: PhoneSystem, args: Sequence[str]) -> str:
    """Report the activities or the one on top, as the first argument says; without an argument, both."""
    component = focus(phone)
    short = short_component(component)
    package = component.partition("/")[0]
    record = f"ActivityRecord{{{tag(short)} u0 {short} t1}}"
    activities = (
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\n"
        f"Display #0 (activities from top to bottom):\n  * Task{{{tag(package)} #1 type=standard A=10123:{package}}}\n"
        f"    * Hist  #0: {record}\n  mResumedActivity: {record}\n  ResumedActivity: {record}\n"
        f"  topResumedActivity={record}\n  mFocusedApp={record}"
    )
    top = f"TASK {package} id=1 userId=0\n  ACTIVITY {short} {tag(short)} pid=4711"
    if args[:1] in (["top"], ["activities"], ["a"]):
        return top if args[0] == "top" else activities
    return activities + "\n" + top


def input_method(phone: PhoneSystem, args: Sequence[str]) -> str:
    """Report the service's state, and that of its client, the app with the focus."""
    shown = as_word(phone.device.keyboard_shown())
    ime, selection = phone.device.default_ime(), phone.device.selection()
    start, end = selection or (0, 0)
    served = "null" if selection is None else f"android.widget.EditText{{{tag(focus(phone))} VFED..CL. .F...... }}"
    return (
        "Current Input Method Manager state:\n"
        f"  mCurMethodId={ime}\n  mCurId={ime} mHaveConnection=true mBoundToMethod=true\n"
        f"  mShowRequested={shown} mShowExplicitlyRequested=false mShowForced=false mInputShown={shown}\n"
        f"  mInteractive={as_word(phone.device.awake())}\n  mIsInputViewShown={shown}\n"
        f"Input method client state for android.view.inputmethod.InputMethodManager@{tag(focus(phone))}:\n"
        f"  mActive=true mHasBeenInactive=true mBindSequence=1 mCurId={ime}\n  mServedView={served}\n"
        f"  mCursorSelStart={start} mCursorSelEnd={end} mCursorCandStart=-1 mCursorCandEnd=-1"
    )


def input_(phone: PhoneSystem, args: Sequence[str]) -> str:
    frame = f"[0, 0, {phone.device.width}, {phone.device.height}]"
    return (
        "INPUT MANAGER (dumpsys input)\n"
        "  Viewport INTERNAL: displayId=0, uniqueId=local:0, port=0, orientation=0, "
        f"logicalFrame={frame}, physicalFrame={frame}, deviceSize=[{phone.device.width}, {phone.device.height}], "
        "isActive=[1]\n"
        "      InputDeviceOrientation: Rotation0\n      SurfaceOrientation: 0"
    )


def display(phone: PhoneSystem, args: Sequence[str]) -> str:
    width, height = phone.device.width, phone.device.height
    return (
        "DISPLAY MANAGER (dumpsys display)\n"
        f"  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:0', "
        f"orientation=0, logicalFrame=Rect(0, 0 - {width}, {height}), deviceWidth={width}, deviceHeight={height}}}]\n"
        f"  mState={'ON' if phone.device.awake() else 'OFF'}\n"
        f"  mOverrideDisplayInfo=DisplayInfo{{real {width} x {height}, density {phone.device.density}}}"
    )


def power(phone: PhoneSystem, args: Sequence[str]) -> str:
    on = phone.device.awake()
    return (
        f"POWER MANAGER (dumpsys power)\n  mWakefulness={'Awake' if on else 'Asleep'}\n"
        f"  mHoldingWakeLockSuspendBlocker={as_word(on)}\n  mHoldingDisplaySuspendBlocker={as_word(on)}\n"
        f"Display Power: state={'ON' if on else 'OFF'}"
    )


def battery(phone: PhoneSystem, args: Sequence[str]) -> str:
    """Return the report. With ``set``, ``unplug`` or ``reset``, change the battery and return an empty text.

    Raises BatteryError.
    """
    if not args or args[0] == "-a":
        return phone.device.battery.report()
    phone.device.battery = phone.device.battery.commanded(args)
    return ""


def thermalservice(phone: PhoneSystem, args: Sequence[str]) -> str:
    overridden = as_word(phone.thermal_override is not None)
    return f"IsStatusOverride: {overridden}\nThermal Status: {phone.thermal_override or 0}\nHAL Ready: true"


def package(phone: PhoneSystem, args: Sequence[str]) -> str:
    """Report one package, or all after ``packages``; without arguments list all.

    As on Android, the report does not hold an app's label.
    """
    if not args:
        return "Packages:\n" + "\n".join(f"  Package [{app.package}]" for app in phone.device.apps())
    name = args[0]
    if name == "packages":
        return "Packages:\n" + "\n".join(_details(app) for app in phone.device.apps())
    try:
        app = phone.app(name)
    except UnknownComponent:
        return f"Unable to find package: {name}"
    component = short_component(f"{app.package}/{app.activity}")
    launcher = (
        "Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:\n"
        f"        {tag(component)} {component} filter {tag(component + '#')}\n"
        '          Action: "android.intent.action.MAIN"\n          Category: "android.intent.category.LAUNCHER"\n\n'
    )
    return (launcher if app.activity else "") + f"Packages:\n{_details(app)}"


def _details(app: AppInfo) -> str:
    name = app.package
    flags = "[ SYSTEM HAS_CODE ALLOW_CLEAR_USER_DATA ]" if app.system else "[ HAS_CODE ALLOW_CLEAR_USER_DATA ]"
    return (
        f"  Package [{name}] ({tag(name)}):\n    userId=10123\n    pkg=Package{{{tag(name)} {name}}}\n"
        f"    versionCode={app.version} minSdk=24 targetSdk={ANDROID_SDK}\n    versionName=1.0\n    flags={flags}\n"
        f"    pkgFlags={flags}\n    timeStamp={INSTALLED_AT}\n    firstInstallTime={INSTALLED_AT}\n"
        f"    lastUpdateTime={INSTALLED_AT}\n"
        f"    signatures=PackageSignatures{{{tag(name + '!')} version:2, signatures:[{tag(name)}]}}\n"
        "    User 0: installed=true hidden=false stopped=false enabled=0"
    )


def dropbox(phone: PhoneSystem, args: Sequence[str]) -> str:
    """Report the apps that did not respond: with ``--print data_app_anr`` their reports, else that there is a box."""
    faults = phone.device.faults() if isinstance(phone.device, InstallableDevice) else ()
    entries = [fault for fault in faults if fault.kind == "not_responding"][-MOST_FAULTS:]
    lines = [f"Drop box contents: {len(entries)} entries", "Max entries: 1000"]
    if "--print" in args and "data_app_anr" in args:
        lines.append(f"Searching for: {' '.join(args)}\n")
        times = {at for at in args if at[:1].isdigit()}
        for entry in entries:
            at = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(entry.at))
            if not times <= set(at.split()):
                continue
            lines += [
                "=" * 40,
                f"{at} data_app_anr (text, 321 bytes)",
                f"Process: {entry.package}",
                f"PID: {APP}",
                f"Package: {entry.package} v1 (1.0)",
                f"Subject: Input dispatching timed out ({entry.package}/.{entry.page} is not responding)",
                "",
                '"main" prio=5 tid=1 Sleeping',
                f"  at {entry.package}.Page.{entry.page}(Page.kt:12)",
            ]
    return "\n".join(lines)


def surface_flinger(phone: PhoneSystem, args: Sequence[str]) -> str:
    """Return the displays, and without ``--display-id`` also the layer of the page, in CompositionEngine's words."""
    displays = f'Display {DISPLAY_ID} (HWC display 0): port=0 pnpId=MHD displayName="{phone.device.model}"'
    if "--display-id" in args:
        return displays
    secure = isinstance(phone.device, SecureScreen) and phone.device.secure()
    return (
        f"{displays}\n   isEnabled=true isSecure=true usesClientComposition=false\n"
        f"  - Output Layer 0x7a (Composition layer 0x7b) ({short_component(phone.device.focus())}#0)\n"
        f"      isSecure={as_word(secure)} geomUsesSourceCrop=true geomBufferUsesDisplayInverseTransform=false"
    )


REPORTS: dict[str, Report] = {
    "SurfaceFlinger": surface_flinger,
    "activity": activity,
    "battery": battery,
    "display": display,
    "dropbox": dropbox,
    "input": input_,
    "input_method": input_method,
    "notification": report_notifications,
    "package": package,
    "power": power,
    "thermalservice": thermalservice,
    "window": window,
}


async def dumpsys(call: Call) -> int:
    args = list(call.args)
    if args[:1] == ["-t"]:
        del args[:2]
    if not args or args[0] == "-l":
        await call.print("Currently running services:\n" + "\n".join(f"  {name}" for name in REPORTS))
        return 0
    report = REPORTS.get(args[0])
    if report is None:
        await call.complain(f"Can't find service: {args[0]}")
        return 0
    try:
        text = report(call.phone, args[1:])
    except BatteryError as error:
        await call.complain(str(error))
        return FAILED
    if text:
        await call.print(text)
    return 0


async def thermal(call: Call) -> int:
    """Run ``cmd thermalservice override-status N`` or ``reset``."""
    if call.args == ("reset",):
        call.phone.thermal_override = None
    elif len(call.args) == 2 and call.args[0] == "override-status" and call.args[1].isdecimal():
        call.phone.thermal_override = int(call.args[1])
    else:
        await call.complain(f"Unknown command: {' '.join(call.args)}; there are override-status N and reset")
        return FAILED
    return 0


COMMANDS = {"dumpsys": Command(dumpsys)}
SERVICES = {"thermalservice": Command(thermal)}
"""Services that only ``cmd`` runs."""
