"""Serve the fleet over HTTP: routes, and around them what every request passes.

A request passes, in this order: ``security_headers``, ``audit_log``, ``admission`` (rates, sizes, requests at once),
``authentication`` (bearer tokens), then the routes in ``routes/``, which check the token's role.
``service.http_server`` bounds what happens before there is a request. ``event_feed`` reads each event once for all
open streams.
"""
