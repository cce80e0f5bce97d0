"""Plain MQTT clients of tests: what anybody with these credentials could do."""

from __future__ import annotations

import socket
import ssl

import aiomqtt

from tests.mqtt.broker import Mosquitto

NO_DELAY = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]


def client(
    broker: Mosquitto, name: str, version: int = 5, by_certificate: bool = False, will: aiomqtt.Will | None = None
) -> aiomqtt.Client:
    """A client that has the credentials of a site or of a user of the cluster."""
    account = broker.account(name)
    context = ssl.create_default_context(cafile=str(broker.ca)) if broker.tls else None
    if by_certificate:
        assert context is not None
        context.load_cert_chain(account.cert, account.key)
    return aiomqtt.Client(
        broker.host,
        broker.certificate_port if by_certificate else broker.port,
        username=None if by_certificate else account.user,
        password=None if by_certificate else account.password,
        protocol=aiomqtt.ProtocolVersion(version),
        tls_context=context,
        socket_options=NO_DELAY,
        timeout=10,
        will=will,
    )
