"""Join a running Ray cluster, after a trial in another process.

The trial is ``python -m manyhands.deploy.cluster.connection ADDRESS``, which prints its outcome as one line of JSON. It
has a process of its own, which can be killed at any time. The reason is Ray's native part: that may abort its process,
or retry for a quarter of an hour and ignore signals.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import json
import os
import sys
from typing import Any, Literal

import ray
from ray.exceptions import AuthenticationError

from manyhands.deploy.child_process import run_program
from manyhands.deploy.cluster.logs import QUIET, init_silently, resume_printing
from manyhands.deploy.cluster.tokens import MODE, Mode, environment, has_token, reread, where_token
from manyhands.protocol.errors import BadInput

ANSWER_S = 8.0
"""Seconds to connect to the address: nobody may listen there, or a firewall may drop the packets."""
TRIAL_S = 30.0
"""Seconds for the trial. In this time it starts a process, asks the cluster, and finds the node of this machine."""
Outcome = Literal["joined", "token", "failed"]
"""The outcome of a trial. "token": the cluster wants a token, or did not accept the one that was sent."""
_ONE_ATTEMPT = {"RAY_NUM_REDIS_GET_RETRIES": "1", "RAY_gcs_server_request_timeout_seconds": "10"}
_FLAG = "--ray-address"
_WORDS = ("auto", "local")
"""Addresses that Ray itself resolves."""


async def find_mode(address: str) -> Mode:
    """Return whether to join with a token, after a trial that succeeded in this mode.

    If the environment names no mode, the mode is "token" only if the cluster asks for a token. Raises BadInput if no
    trial succeeds.
    """
    _check_form(address)
    await _check_answers(address)
    mode_text = os.environ.get(MODE)
    if mode_text is not None:
        mode: Mode = "token" if mode_text.lower() == "token" else "disabled"
        if not await _can_join(address, mode):
            raise BadInput(f"{_FLAG} {address}: {_token_needed(mode)}")
        return mode
    # Try without a token first, so that only a cluster that asks for the token sees it.
    if await _can_join(address, "disabled"):
        return "disabled"
    if not has_token() or not await _can_join(address, "token"):
        raise BadInput(f"{_FLAG} {address}: {_token_needed('token')}")
    return "token"


class JoinedCluster:
    """Represent a cluster that this process has joined as a driver."""

    def kill(self) -> None:
        """Do nothing: this process started no part of the cluster."""

    def end(self) -> None:
        """Leave the cluster."""
        _leave()


def join(address: str, namespace: str, mode: Mode) -> JoinedCluster:
    """Join the cluster. Call ``find_mode`` before. Blocks."""
    try:
        # Set only during the start, because Ray's native part remembers what it has read.
        with environment({MODE: mode}):
            reread()
            init_silently(address=address, namespace=namespace)
    except BaseException as error:
        _leave()
        if isinstance(error, (ConnectionError, ValueError, RuntimeError)):
            raise BadInput(f"{_FLAG} {address}: {str(error).splitlines()[0]}") from error
        raise
    return JoinedCluster()


def _leave() -> None:
    ray.shutdown()
    reread()
    resume_printing()


def _check_form(address: str) -> None:
    """Raise BadInput for an address with another scheme than Ray's, without a port, or with a misspelt ``auto``."""
    scheme, there, rest = address.rpartition("://")
    if there and scheme != "ray":
        suggestion = f"ray://{rest}" if difflib.get_close_matches(scheme.lower(), ("ray",)) else rest.partition("/")[0]
        raise BadInput(f"{_FLAG} {address}: is HOST:PORT or auto; write {suggestion}")
    if ":" not in address and address not in _WORDS:
        near = difflib.get_close_matches(address, _WORDS, n=1)
        raise BadInput(f"{_FLAG} {address}: is HOST:PORT or auto; write {near[0] if near else f'{address}:6379'}")


async def _check_answers(address: str) -> None:
    """Raise BadInput if nobody listens at HOST:PORT. Skip ``auto`` and other words, which Ray itself resolves."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        async with asyncio.timeout(ANSWER_S):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except (OSError, OverflowError, TimeoutError) as error:
        why = f"no answer within {ANSWER_S:.0f} s" if isinstance(error, TimeoutError) else "nobody listens there"
        raise BadInput(f"{_FLAG} {address}: {why}; is the cluster's head running (ray start --head)?") from error
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def _can_join(address: str, mode: Mode) -> bool:
    """Return whether a trial joins the cluster in this mode.

    Raises BadInput for failures that have no link with tokens.
    """
    words = (sys.executable, "-m", "manyhands.deploy.cluster.connection", address)
    try:
        trial = await run_program(*words, seconds=TRIAL_S, environment={**_ONE_ATTEMPT, MODE: mode})
    except TimeoutError as error:
        raise BadInput(
            f"{_FLAG} {address}: whoever listens there did not answer as a Ray cluster within {TRIAL_S:.0f} s"
        ) from error
    outcome = _read_outcome(trial.output)
    if outcome["outcome"] == "failed":
        raise BadInput(f"{_FLAG} {address}: cannot join: {outcome['reason']}")
    return bool(outcome["outcome"] == "joined")


def _read_outcome(out: str) -> dict[str, Any]:
    for line in out.splitlines():
        with contextlib.suppress(ValueError):
            outcome = json.loads(line)
            if isinstance(outcome, dict) and "outcome" in outcome:
                return outcome
    return {"outcome": "failed", "reason": "Ray ended without a word; is it the same version there and here?"}


def _token_needed(mode: Mode) -> str:
    if mode == "disabled":
        return f"the cluster asks for a token, and {MODE}=disabled says to show none; take that out of the environment"
    if not has_token():
        return (
            "the cluster asks for a token, and there is none here; on its head 'ray get-auth-token' prints it: put it "
            "into ~/.ray/auth_token, or name its file in RAY_AUTH_TOKEN_PATH"
        )
    return (
        f"the cluster does not take the token of {where_token()}; 'ray get-auth-token' on its head prints the right one"
    )


def _try_join(address: str) -> None:
    """Join a cluster, print the outcome (for ``failed`` with its reason), and leave."""
    try:
        ray.init(address=address, **QUIET)
    except Exception as error:  # noqa: BLE001 - printed, whatever it is
        _print_outcome(**_describe_failure(error))
    else:
        _print_outcome("joined")
        ray.shutdown()


def _describe_failure(error: BaseException) -> dict[str, Any]:
    """Return the outcome that an error's innermost cause means. Ray wraps errors, sometimes as texts of tracebacks."""
    texts: list[str] = []
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, AuthenticationError) or "AuthenticationError" in str(at):
            return {"outcome": "token"}
        texts += [line.strip() for line in str(at).splitlines() if line.strip()]
        at = at.__cause__
    return {"outcome": "failed", "reason": texts[-1] if texts else type(error).__name__}


def _print_outcome(outcome: Outcome, reason: str = "") -> None:
    sys.stdout.write(json.dumps({"outcome": outcome, "reason": reason}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _try_join(sys.argv[1])
