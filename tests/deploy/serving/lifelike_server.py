#!/usr/bin/env python3
"""Behaves as ``vllm serve`` does, for tests of the supervisor: a process of its own with a worker, loading, /health.

Reads --host and --port as vLLM does; what it is to do is in the environment: LIFELIKE_FAIL (the words with which it
dies while loading), LIFELIKE_STUBBORN (it and its worker ignore SIGTERM). ``GET /die`` ends it as a crash does;
``GET /worker`` says the pid of its worker, ``GET /key`` which key it was given, ``GET /argv`` its arguments.
"""

import http.server
import json
import os
import signal
import subprocess
import sys

FAIL = os.environ.get("LIFELIKE_FAIL")


def option(name: str) -> str:
    return sys.argv[sys.argv.index(name) + 1]


def main() -> None:
    if FAIL:
        sys.stderr.write(f"ERROR {FAIL}\n")
        sys.exit(3)
    if os.environ.get("LIFELIKE_STUBBORN"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # Ignored signals are inherited.
    worker = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/die":
                os._exit(7)
            says = {
                "/health": "",
                "/worker": worker.pid,
                "/key": os.environ.get("VLLM_API_KEY"),
                "/sockets": os.environ.get("VLLM_RPC_BASE_PATH"),
                "/argv": sys.argv[1:],
                "/pid": os.getpid(),
            }
            known = self.path in says
            body = json.dumps(says.get(self.path)).encode()
            self.send_response(200 if known else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            sys.stderr.write(f"served {self.path}\n")

    sys.stderr.write("loading the weights\n")
    http.server.ThreadingHTTPServer((option("--host"), int(option("--port"))), Handler).serve_forever()


main()
