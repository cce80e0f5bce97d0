"""Run a certificate authority for the broker, and sign certificates with it, by the command ``openssl``."""

from __future__ import annotations

import ipaddress
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from manyhands.protocol.errors import BadInput, ManyhandsError
from manyhands.protocol.utilities import secure_files

AUTHORITY_DAYS = 3650
SIGNED_DAYS = 825
RENEWED_S = 30 * 86400
"""Seconds before its end at which a certificate is renewed."""
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
# Python 3.13 refuses an authority whose certificate does not state its key usage.
_AUTHORITY = (
    "basicConstraints=critical,CA:TRUE",
    "keyUsage=critical,keyCertSign,cRLSign",
    "subjectKeyIdentifier=hash",
)
_SIGNED = (
    "basicConstraints=critical,CA:FALSE",
    "keyUsage=critical,digitalSignature",
    "subjectKeyIdentifier=hash",
    "authorityKeyIdentifier=keyid",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Name the files of a certificate and its key."""

    cert: Path
    key: Path


class Authority:
    """Sign certificates with a key in ``folder``. The key is made when it is first needed."""

    def __init__(self, folder: Path, name: str = "Manyhands broker") -> None:
        """Use ``ca.crt`` and ``ca.key`` in the folder."""
        self._folder = folder
        self._name = name
        self.pair = Pair(folder / "ca.crt", folder / "ca.key")

    def make(self) -> None:
        """Make the authority's certificate if there is none. Raises BadInput, ManyhandsError, OSError."""
        if self.pair.cert.is_file() and self.pair.key.is_file():
            return
        secure_files.make_folder(self._folder)
        _openssl(
            *("req", "-x509", *_KEY, "-days", str(AUTHORITY_DAYS), "-subj", f"/CN={self._name}"),
            *(word for line in _AUTHORITY for word in ("-addext", line)),
            *("-keyout", str(self.pair.key), "-out", str(self.pair.cert)),
        )

    def for_server(self, hosts: Sequence[str], days: int = SIGNED_DAYS) -> Pair:
        """Return the server's certificate for these host names and addresses. A certificate for others is replaced."""
        names = ",".join(f"IP:{host}" if _is_address(host) else f"DNS:{host}" for host in hosts)
        return self._signed("server", hosts[0], (f"subjectAltName={names}", "extendedKeyUsage=serverAuth"), days)

    def for_user(self, name: str, days: int = SIGNED_DAYS) -> Pair:
        """Return a certificate for a user. The broker identifies the user by the name in it."""
        return self._signed(f"user-{name}", name, ("extendedKeyUsage=clientAuth",), days)

    def forget(self, name: str) -> None:
        """Delete a user's certificate. Copies of it stay valid, but the broker then knows no such user."""
        for kind in ("crt", "key", "ext"):
            (self._folder / f"user-{name}.{kind}").unlink(missing_ok=True)

    def _signed(self, file: str, subject: str, lines: Sequence[str], days: int) -> Pair:
        self.make()
        pair = Pair(self._folder / f"{file}.crt", self._folder / f"{file}.key")
        content = "\n".join([f"# {subject}", *_SIGNED, *lines, ""])
        about = self._folder / f"{file}.ext"
        if pair.key.is_file() and about.is_file() and about.read_text() == content and _lasts(pair.cert):
            return pair
        with tempfile.TemporaryDirectory() as scratch:
            request, certificate = Path(scratch) / "request", Path(scratch) / "made"
            extensions = Path(scratch) / "extensions"
            extensions.write_text(content)
            _openssl("req", "-new", *_KEY, "-subj", f"/CN={subject}", "-keyout", str(pair.key), "-out", str(request))
            _openssl(
                *("x509", "-req", "-in", str(request), "-out", str(certificate), "-days", str(days)),
                *("-CA", str(self.pair.cert), "-CAkey", str(self.pair.key), "-extfile", str(extensions)),
                *("-CAserial", str(self._folder / "ca.srl"), "-CAcreateserial"),
            )
            secure_files.write_bytes(pair.cert, certificate.read_bytes())
        secure_files.write_text(about, content)
        return pair


def _lasts(cert: Path) -> bool:
    command = ["openssl", "x509", "-in", str(cert), "-noout", "-checkend", str(RENEWED_S)]
    return cert.is_file() and subprocess.run(command, capture_output=True, check=False).returncode == 0


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _openssl(*arguments: str) -> None:
    """Run openssl. Only the owner can read the files that it makes."""
    if shutil.which("openssl") is None:
        raise BadInput("certificates are made by openssl, which is missing: apt-get install openssl")
    process = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False, umask=0o077)
    if process.returncode:
        last = (process.stderr.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
        raise ManyhandsError(f"openssl {arguments[0]} failed: {last}")
