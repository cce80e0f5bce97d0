"""Search for a secret in all that a run leaves, sends and shows: exact bytes, in the encodings in which it could be."""

from __future__ import annotations

import asyncio
import base64
import html
import json
import shlex
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from urllib.parse import quote, quote_plus


@cache
def forms_of(value: str) -> Mapping[str, bytes]:
    """The bytes of a value by the encoding's name. Base64 is searched at each of its three places in a longer text."""
    data = value.encode()
    forms = {
        "plain": data,
        "capitals": value.upper().encode(),
        "UTF-16": value.encode("utf-16-le"),
        "JSON": json.dumps(value)[1:-1].encode(),
        "URL": quote(value, safe="").encode(),
        "form": quote_plus(value).encode(),
        "HTML": html.escape(value).encode(),
        "shell": shlex.quote(value)[1:-1].encode(),
        "adb": value.replace(" ", "%s").encode(),
        "hex": data.hex().encode(),
    }
    for before in range(3):
        for name, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            start = -(-8 * before // 6)
            forms[f"{name} at {before}"] = encode(b"\0" * before + data)[start : 8 * (before + len(data)) // 6]
    return forms


def find(value: str, data: bytes) -> list[str]:
    """The encodings in which a value is in some bytes."""
    return [name for name, form in forms_of(value).items() if form in data]


def find_in_files(value: str, *folders: Path) -> list[str]:
    """The files that hold a value, each with the encoding. Files that go away meanwhile are left out."""
    found = []
    for path in (path for folder in folders for path in folder.rglob("*")):
        try:
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        except FileNotFoundError:
            continue
        found += [f"{path}: {name}" for name in find(value, data)]
    return found


@asynccontextmanager
async def watched(value: str, *folders: Path) -> AsyncIterator[list[str]]:
    """Look, until the context ends, at every command line of this host and at files that are deleted at the end."""
    found: list[str] = []

    def look() -> None:
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                found.extend(f"{process}: {name}" for name in find(value, process.read_bytes().replace(b"\0", b" ")))
            except OSError:
                continue
        found.extend(find_in_files(value, *folders))

    async def keep_looking() -> None:
        while True:
            await asyncio.to_thread(look)
            await asyncio.sleep(0.5)

    looking = asyncio.create_task(keep_looking())
    try:
        yield found
    finally:
        looking.cancel()
        await asyncio.wait({looking})


def find_in(value: str, parts: Iterable[bytes]) -> list[str]:
    return sorted({name for part in parts for name in find(value, part)})
