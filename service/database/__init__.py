"""Keep what was asked of the service, and what became of it, in SQLite or PostgreSQL.

``engine``                opens a database; gives transactions, appends events, and wakes those who wait for them
``schema``                declares the tables
``migration``             brings the tables up to date; ``migrations`` holds the changes
``batches``               batches and tasks: ``batch_repository`` has the methods that the service calls, made of
                          ``batch_intake`` (new ones), ``batch_queries`` (lists), ``task_control`` (cancel, pause),
                          ``handovers`` (what the fleet lacks), ``task_records`` (what the fleet says), ``batch_counts``
                          (also what stands before a batch, for forecasts)
``event_repository``      live events
``failure_repository``    failures that a person has to look at
``access_repository``     tokens, sessions of browsers, the audit log
``schedule_repository``   schedules
``webhook_repository``    webhooks, with ``deliveries`` (what to send, and what came of it)
``row_numbers``           ids and cursors, as clients see them
"""
