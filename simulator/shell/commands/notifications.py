"""Provide ``cmd notification``, which posts notifications, and the report of ``dumpsys notification``."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from manyhands.simulator.shell.command import FAILED, Call, Command
from manyhands.simulator.system.phone_system import PhoneSystem
from manyhands.simulator.system.user_records import PostedNotification

PACKAGE = "com.android.shell"
SHELL_ID, SHELL_UID = 2020, 2000


def key_of(notification: PostedNotification) -> str:
    """Return the key by which Android names a notification."""
    return f"0|{PACKAGE}|{SHELL_ID}|{notification.tag}|{SHELL_UID}"


async def notification(call: Call) -> int:
    """Run ``post [-t TITLE] TAG TEXT`` or ``list``."""
    action, *_ = call.args or ("help",)
    records = call.phone.records
    if action == "list":
        if records.notifications:
            await call.print("\n".join(key_of(one) for one in records.notifications.values()))
        return 0
    options, words = call.options("t:", ("title=",))
    if action != "post" or len(words) < 3:
        await call.complain("usage: cmd notification post [-t TITLE] TAG TEXT\n       cmd notification list")
        return FAILED
    title = options.get("-t", options.get("--title", ""))
    try:
        records.post(PostedNotification(words[1], title, words[2]))
    except ValueError as error:
        await call.complain(f"Error: {error}")
        return FAILED
    await call.print("posting:\n  Notification(channel=shell_cmd shortcut=null contentView=null)")
    return 0


def report_notifications(phone: PhoneSystem, args: Sequence[str]) -> str:
    """Report the notifications: with their texts if ``--noredact`` is given, otherwise with the texts' lengths."""
    with_texts = "--noredact" in args or "--reveal" in args
    records = [line for one in phone.records.notifications.values() for line in _record(one, with_texts)]
    listed = ["  Notification List:", *records, "  "] if records else []
    return "\n".join(("Current Notification Manager state:", *listed, "  mArchive=Archive (0 notifications)"))


def _record(notification: PostedNotification, with_texts: bool) -> list[str]:
    inner = " " * 12
    number = zlib.crc32(key_of(notification).encode())

    def value(text: str) -> str:
        return f"String ({text})" if with_texts else f"String [length={len(text)}]"

    title = f"{inner}    android.title={value(notification.title)}" if notification.title else None
    lines = [
        f"    NotificationRecord(0x{number:08x}: pkg={PACKAGE} user=UserHandle{{0}} "
        f"id={SHELL_ID} tag={notification.tag} importance=3 key={key_of(notification)}: "
        "Notification(channel=shell_cmd shortcut=null contentView=null vibrate=null))",
        f"      uid={SHELL_UID} userId=0",
        f"      opPkg={PACKAGE}",
        f"      key={key_of(notification)}",
        "      notification=",
        f"{inner}tickerText=null",
        f"{inner}extras={{",
        title,
        f"{inner}    android.reduced.images=Boolean (true)",
        f"{inner}    android.text={value(notification.text)}",
        f"{inner}}}",
        "      publicNotification=",
        f"{inner}None",
        "      stats=SingleNotificationStats{}",
    ]
    return [line for line in lines if line is not None]


COMMANDS: dict[str, Command] = {}
SERVICES = {"notification": Command(notification)}
"""Services that only ``cmd`` runs."""
