"""What tests of several parts of the deployment use."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from manyhands.service.http_server import TlsFiles


@pytest.fixture
def tls(tmp_path: Path) -> TlsFiles:
    """A certificate for 127.0.0.1, signed by itself."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: nothing makes a certificate")
    made = TlsFiles(tmp_path / "cert.pem", tmp_path / "key.pem")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"),
            *("-keyout", str(made.key), "-out", str(made.certificate)),
        ],
        check=True,
        capture_output=True,
    )
    return made
