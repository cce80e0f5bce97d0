"""Receive the webhooks of a service: check who sent a message, and print each event once.

The secret is the one that ``POST /api/v1/webhooks`` answered with. Run it as ``WEBHOOK_SECRET=whsec_... python
webhook_receiver.py``, and give the service the address ``http://HOST:9000/``.
"""

from __future__ import annotations

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from manyhands.protocol.service.webhooks import WebhookMessage

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
seen = set[str]()


class ReceiverHandler(BaseHTTPRequestHandler):
    """Answer the POSTs of a service."""

    def do_POST(self) -> None:
        """Accept a message of the service; refuse all others."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            webhook.verify(body, dict(self.headers.items()), json_parse=False)
        except WebhookVerificationError:
            self.send_response(403)
            self.end_headers()
            return
        self.send_response(204)
        self.end_headers()
        message = self.headers["webhook-id"]
        if message not in seen:  # a message may come twice
            seen.add(message)
            event = WebhookMessage.model_validate_json(body).data
            print(event.kind, event.task or event.batch or event.phone or "", event.data, flush=True)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "9000"))), ReceiverHandler)
    print(f"receiving at port {server.server_port}", flush=True)
    server.serve_forever()
