"""Keep a fleet open: take work over HTTP, store the work, hand it to the fleet, and tell what becomes of it.

``api/``             the HTTP application
``database/``        what was asked for: batches, tasks, tokens, events, the audit log
``schedule_runner``  batches that are submitted again and again
``webhook_courier``  addresses that are told of events
``fleet_control.py`` what the application asks of the fleet
"""
