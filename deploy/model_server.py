"""Asking model servers, before anything else is started, whether they are there."""

from __future__ import annotations

import asyncio
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence

from protocol.errors import BadInput

ANSWER_TIMEOUT_S = 10.0
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


async def check_servers(urls: Sequence[str], model: str | None, api_key_env: str | None) -> str:
    """The model's name, after every server has listed it. Raises BadInput that names the server."""
    key = None
    if api_key_env is not None:
        key = os.environ.get(api_key_env)
        if not key:
            raise BadInput(f"api_key_env: the environment has no variable {api_key_env}")
    listed = await asyncio.gather(*(asyncio.to_thread(_models, url, key) for url in urls))
    wanted = model or listed[0][0]
    for url, names in zip(urls, listed, strict=True):
        if wanted not in names:
            raise BadInput(f"--model {wanted}: {url} serves {', '.join(names)}")
    return wanted


def _models(url: str, key: str | None) -> tuple[str, ...]:
    if not url.startswith(("http://", "https://")):
        raise BadInput(f"--mllm-url {url}: write a URL such as http://127.0.0.1:8000/v1, or 'rehearsed'")
    request = urllib.request.Request(url.rstrip("/") + "/models")
    if key:
        request.add_header("Authorization", f"Bearer {key}")
    try:
        with _opener(url).open(request, timeout=ANSWER_TIMEOUT_S) as answer:
            names = tuple(item["id"] for item in json.load(answer)["data"])
    except urllib.error.HTTPError as error:
        hint = "; such URLs mostly end in /v1" if error.code == 404 and not url.rstrip("/").endswith("/v1") else ""
        raise BadInput(f"--mllm-url {url}: answered {error.code} {error.reason}{hint}") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = getattr(error, "reason", None) or error
        raise BadInput(f"--mllm-url {url}: no model server answers there ({reason})") from error
    if not names:
        raise BadInput(f"--mllm-url {url}: the server lists no model")
    return names


def _opener(url: str) -> urllib.request.OpenerDirector:
    """Servers on this machine are not asked through a proxy, whatever the environment says."""
    local = urllib.parse.urlsplit(url).hostname in LOOPBACK
    return urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if local else []))
