"""Find the service for a stream, by the first word of the stream's name."""

from __future__ import annotations

import logging
from functools import partial

from manyhands.simulator.adbd.connection import Service
from manyhands.simulator.adbd.services import misc
from manyhands.simulator.adbd.services.shell import exec_service, shell_service
from manyhands.simulator.adbd.services.sync import sync_service
from manyhands.simulator.shell.language.interpreter import Shell
from manyhands.simulator.system.phone_system import PhoneSystem

log = logging.getLogger(__name__)

FORWARDED = ("tcp:", "localabstract:", "localreserved:", "localfilesystem:", "local:", "dev:", "jdwp:", "vsock:")
LONGEST_NAME = 200


def find_service(shell: Shell, name: str) -> Service | None:
    """Return the service for a stream's name; None for what a virtual phone lacks: ports, sockets, debuggers."""
    kind, _, argument = name.partition(":")
    kind, *options = kind.split(",")
    if kind == "shell":
        return partial(shell_service, shell, frozenset(options), argument)
    if kind == "exec":
        return partial(exec_service, shell, argument)
    if kind == "sync":
        return partial(sync_service, shell.phone.files)
    if kind == "framebuffer":
        return partial(misc.framebuffer_service, shell.phone.capture)
    if kind == "reverse":
        return partial(misc.reverse_service, argument)
    if kind == "root":
        return partial(misc.root_service, shell.phone)
    refused(shell.phone, name)
    return None


def refused(phone: PhoneSystem, name: str) -> None:
    """Log a refusal. A phone notices an ``adb forward`` only when somebody connects to the forwarded port."""
    forwarded = name.startswith(FORWARDED)
    reason = "nothing listens on a virtual phone: adb forward leads nowhere" if forwarded else "it has no such service"
    phone.log.write("W", "adbd", f"refused {name[:LONGEST_NAME]!r}: {reason}")
    log.warning("a virtual phone refused %r: %s", name[:LONGEST_NAME], reason)
