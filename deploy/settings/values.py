"""Define types of values that settings share: lists, URLs and paths as people write them."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict
from pydantic_settings import NoDecode


class OptionGroup(BaseModel):
    """Hold settings of a run that are passed on together, under the names that people use."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def values_of(self, group: type[OptionGroup], prefix: str = "") -> dict[str, Any]:
        """Return the values of a group's settings by name. Remove ``prefix`` from the beginning of the names."""
        return {name.removeprefix(prefix): getattr(self, name) for name in group.model_fields}


def split_list(text: str) -> list[str]:
    """Split a comma-separated list. If the list begins with a URL, only a comma before another URL separates."""
    separator = r",(?=https?://)" if text.startswith(("http://", "https://")) else ","
    return [part for part in re.split(separator, text) if part]


def _listed(value: Any) -> Any:
    """Read one text as a list, in JSON or with commas, because an environment variable holds only a text."""
    if not isinstance(value, str):
        return value
    return json.loads(value) if value.startswith("[") else split_list(value)


def _without_secrets(urls: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse passwords, because settings are recorded in the run folder."""
    if any("@" in urlsplit(url).netloc for url in urls):
        raise ValueError("a URL must not hold a password; name the environment variable with the key: api_key_env")
    return urls


def _from_anywhere(path: Path | None) -> Path | None:
    """Make a path absolute without resolving it: a virtual environment's Python is a link in that environment."""
    return None if path is None else path.expanduser().absolute()


def _collector_url(url: str | None) -> str | None:
    """Refuse what is no http:// or https:// URL with a host, and any if the library that sends spans is missing."""
    if url is not None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("write http://HOST:PORT or https://HOST, with a path if the server has one")
        if "@" in parts.netloc:
            raise ValueError("a URL must not hold a password; give it by OTEL_EXPORTER_OTLP_HEADERS")
        if not _is_installed("opentelemetry.exporter.otlp.proto.http"):
            raise ValueError("OpenTelemetry's SDK is not installed: pip install 'manyhands[traces]'")
    return url


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it is missing
        return False


FROM_ANYWHERE = AfterValidator(_from_anywhere)
"""A path that becomes absolute, so that processes in other folders, such as actors, find the file."""
COLLECTOR_URL = AfterValidator(_collector_url)
"""The address of a collector of OpenTelemetry."""
Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
Urls = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed), AfterValidator(_without_secrets)]
