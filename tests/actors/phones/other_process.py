"""What another run's process does with the same database and locks; told by its arguments, ends with its stdin.

attach HOLDER      tries to take the phone; prints the epoch, or "busy"
begin HOLDER KEY   takes the phone, begins an action, prints "begun", and dies at once
hold HOLDER PORT SERIAL  attaches a phone of the adb server at that port, prints "held", and dies at once
lock               takes the phone's host lock and prints "locked"
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from manyhands.actors.phones.adb import AdbSettings
from manyhands.actors.phones.leases import Leases
from manyhands.actors.phones.locks import HostLock
from manyhands.protocol.errors import PhoneBusy
from tests.actors.phones.world import adb_gateway

SERIAL = "phone-1"


def say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def attach(folder: Path, holder: str) -> None:
    try:
        say(str(Leases(folder).attach(SERIAL, holder, 60).epoch))
    except PhoneBusy:
        say("busy")


def begin_and_die(folder: Path, holder: str, key: str) -> None:
    book = Leases(folder)
    book.begin(book.attach(SERIAL, holder, 60), key)
    say("begun")
    os._exit(9)


async def hold_and_die(folder: Path, holder: str, port: str, serial: str) -> None:
    gateway = adb_gateway(AdbSettings(port=int(port), state_dir=folder))
    await gateway.start()
    await gateway.attach(serial, holder, 60)
    say("held")
    os._exit(9)


async def hold_lock(folder: Path) -> None:
    async with HostLock(folder, SERIAL).held():
        say("locked")
        await asyncio.to_thread(sys.stdin.read)


def main(action: str, folder: str, *arguments: str) -> None:
    if action == "attach":
        sys.stdin.readline()  # all start at the same word
        attach(Path(folder), *arguments)
    elif action == "begin":
        begin_and_die(Path(folder), *arguments)
    elif action == "hold":
        asyncio.run(hold_and_die(Path(folder), *arguments))
    else:
        asyncio.run(hold_lock(Path(folder)))


if __name__ == "__main__":
    main(*sys.argv[1:])
