"""Connections of virtual phones to a running adb server."""

from __future__ import annotations

import socket

import adbutils

from manyhands.protocol.errors import BadInput, PhoneLost

CONNECT_TIMEOUT_S = 10.0


def check_server(server: adbutils.AdbClient) -> None:
    """Raises BadInput. adbutils would start a server, at the default port whatever the client's is."""
    try:
        socket.create_connection((server.host, server.port), CONNECT_TIMEOUT_S).close()
    except OSError as error:
        raise BadInput(f"no adb server runs at {server.host}:{server.port}: {error.strerror or error}") from error


def connect_phone(server: adbutils.AdbClient, serial: str) -> None:
    """``adb connect``, judged by the state that follows: its words and exit code do not tell. Raises PhoneLost.

    A phone that came back stays offline at a server that still lists it, until it is disconnected.
    """
    answer = ""
    for _ in range(2):
        try:
            answer = server.connect(serial, timeout=CONNECT_TIMEOUT_S)
            if any(info.serial == serial and info.state == "device" for info in server.list()):
                return
            server.disconnect(serial)
        except (adbutils.AdbError, OSError) as error:
            answer = str(error)
    raise PhoneLost(f"the adb server at {server.host}:{server.port} cannot connect to {serial}: {answer.strip()}")
