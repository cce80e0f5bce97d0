"""The server of the application: TLS, and addresses at which it cannot listen."""

from __future__ import annotations

import ssl
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from manyhands.protocol.errors import BadInput
from manyhands.service.api.settings import ServiceBounds
from manyhands.service.http_server import TlsFiles, serving
from tests.service.api.running_service import running


async def test_a_certificate_makes_it_https(tmp_path: Path, tls: TlsFiles) -> None:
    async with running(tmp_path, tls) as service:
        assert service.url.startswith("https://127.0.0.1:")
        trusted = ssl.create_default_context(cafile=str(tls.certificate))
        async with httpx.AsyncClient(verify=trusted) as client:
            answer = await client.get(f"{service.url}/api/v1/status")
        assert answer.status_code == 401
        assert answer.headers["strict-transport-security"].startswith("max-age=")
        async with httpx.AsyncClient() as stranger:
            with pytest.raises(httpx.ConnectError):
                await stranger.get(f"{service.url}/api/v1/status")


async def test_files_that_are_no_certificate_are_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate")
    for files in (TlsFiles(wrong, wrong), TlsFiles(tmp_path / "none", tmp_path / "none")):
        with pytest.raises(BadInput, match="--tls-cert"):
            async with serving(FastAPI(), "127.0.0.1", 0, ServiceBounds(), files):
                pass


async def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path) as service:
        port = int(service.url.rpartition(":")[2])
        with pytest.raises(BadInput, match=f"--port {port}"):
            async with serving(FastAPI(), "127.0.0.1", port, ServiceBounds()):
                pass


async def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="--host"):
        async with serving(FastAPI(), "no such host", 0, ServiceBounds()):
            pass
