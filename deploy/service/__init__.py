"""Keep a fleet that stands: take work over HTTP, store it, hand it to the fleet, and tell what becomes of it.

``api/``             the HTTP application
``database/``        what was asked for: batches, tasks, tokens, events, the audit log
``fleet_control.py`` what the application asks of the fleet
"""
