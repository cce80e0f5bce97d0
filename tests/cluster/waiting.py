"""``python waiting.py COUNT SECONDS``: on a node of a cluster, print its live nodes as JSON once there are COUNT."""

from __future__ import annotations

import json
import sys
import time

import ray


def main(count: int, limit_s: float) -> None:
    give_up_at = time.monotonic() + limit_s
    ray.init("auto", logging_level="ERROR", log_to_driver=False)
    while True:
        live = [node for node in ray.nodes() if node["Alive"]]
        if len(live) == count:
            break
        if time.monotonic() > give_up_at:
            sys.exit(f"{len(live)} nodes after {limit_s:g} s, not {count}")
        time.sleep(0.5)
    nodes = [{"address": node["NodeManagerAddress"], "labels": node["Labels"]} for node in live]
    sys.stdout.write(json.dumps(sorted(nodes, key=lambda node: node["address"])) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
