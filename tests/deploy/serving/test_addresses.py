"""Where servers can listen is found out before any of them loads a model."""

from __future__ import annotations

import socket

import pytest

from manyhands.deploy.serving.supervisor import check_address
from manyhands.protocol.errors import BadInput


def test_a_taken_port_is_named_and_a_free_one_is_no_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        taken.listen()
        with pytest.raises(BadInput, match=f"--port {port}: something listens"):
            check_address("127.0.0.1", port)
    check_address("127.0.0.1", port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host"])
def test_an_address_of_no_machine_of_ours_is_not_blamed_on_the_port(host: str) -> None:
    with pytest.raises(BadInput, match=f"--host {host}: "):
        check_address(host, 8000)
