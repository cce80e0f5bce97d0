"""What runs on a node tells in time what it found, whatever the servers do that it asks."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from manyhands.deploy.cluster.node_probe import probe_class

LIMIT_S = 0.5


@pytest.fixture
def slow_url() -> Iterator[str]:
    """A server that says a letter of its answer now and then: each comes in time, and the answer never."""
    ended = threading.Event()

    def answer(listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Letters: ")
                for _ in range(100):
                    if ended.wait(LIMIT_S / 10):
                        break
                    connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer, args=(listening,))
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        ended.set()
        thread.join()


def test_a_server_that_never_ends_its_answer_is_told_as_such_in_time(slow_url: str, unused_tcp_port: int) -> None:
    nobody = f"http://127.0.0.1:{unused_tcp_port}/v1"
    began = time.monotonic()
    told = probe_class()().look((slow_url, nobody), (), (), LIMIT_S)
    assert time.monotonic() - began < 3 * LIMIT_S
    assert told["unreached"] == {slow_url: "timed out", nobody: "Connection refused"}
