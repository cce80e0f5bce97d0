"""Phones over adb: connection, capture, settling, typing, leases, action keys."""
