"""Store secrets as hashes. The secrets are random and long, so nobody can guess them from their hashes."""

from __future__ import annotations

import hashlib
import hmac
import secrets


def make_secret(prefix: str, number: int) -> str:
    """Return a new secret. It names its row, so that one row is looked up and compared: ``mh3_...``."""
    return f"{prefix}{number}_{secrets.token_urlsafe(32)}"


def digest_secret(secret: str) -> str:
    """Return what is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_secret(secret: str, digest: str) -> bool:
    """Return whether a secret has this digest. The time that this takes says nothing about secrets."""
    return hmac.compare_digest(digest_secret(secret), digest)
