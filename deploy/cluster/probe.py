"""Join a Ray cluster, print the outcome as one line of JSON, and leave: ``python -m manyhands.deploy.cluster.probe``.

It is a process of its own because Ray's native part may retry for a quarter of an hour, deaf to signals, or abort.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Literal

import ray
from ray.exceptions import AuthenticationError

from manyhands.deploy.cluster.logs import QUIET

Outcome = Literal["joined", "token", "failed"]


def main(address: str) -> None:
    """Print the outcome; for ``failed`` with its reason."""
    try:
        ray.init(address=address, **QUIET)
    except Exception as error:  # noqa: BLE001 - printed, whatever it is
        _print(**_described(error))
    else:
        _print("joined")
        ray.shutdown()


def _described(error: BaseException) -> dict[str, Any]:
    """Return the outcome from the innermost cause: Ray wraps it, sometimes as the text of a traceback."""
    texts: list[str] = []
    at: BaseException | None = error
    while at is not None:
        if isinstance(at, AuthenticationError) or "AuthenticationError" in str(at):
            return {"outcome": "token"}
        texts += [line.strip() for line in str(at).splitlines() if line.strip()]
        at = at.__cause__
    return {"outcome": "failed", "reason": texts[-1] if texts else type(error).__name__}


def _print(outcome: Outcome, reason: str = "") -> None:
    sys.stdout.write(json.dumps({"outcome": outcome, "reason": reason}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
