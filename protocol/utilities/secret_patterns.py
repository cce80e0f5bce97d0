"""Hide what looks like a secret in texts of others, such as the logs of apps."""

from __future__ import annotations

import re

HIDDEN = "[hidden]"
_NAMES = (
    "(?:pass(?:word|wd|phrase)?|pwd|pin|otp|secret|token|api[_-]?key|auth|authorization|cookie|session[_-]?id|"
    "credential)s?"
)
_VALUE = r"(?:\"[^\"]*\"|'[^']*'|(?!\[hidden\])[^\s,;&\"')\]}]+)"
_PATTERNS = (
    re.compile(r"(?P<kept>\{\{\s*secret\s*:)[^}]*", re.IGNORECASE),
    re.compile(r"(?P<kept>\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE),
    re.compile(rf"(?P<kept>{_NAMES}[\"']?\s{{0,3}}[=:]\s{{0,3}}){_VALUE}", re.IGNORECASE),
    re.compile(r"(?P<kept>)\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    re.compile(r"(?P<kept>\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]{0,200}:)[^\s/@]{1,500}(?=@)", re.IGNORECASE),
)
"""Patterns of secrets; what their group ``kept`` matches stays."""


def hide_secrets(text: str) -> str:
    """Return the text with values hidden that look like passwords, tokens or cookies, by their names or forms."""
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\g<kept>{HIDDEN}", text)
    return text
