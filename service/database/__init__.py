"""Keep what was asked of the service, and what became of it, in SQLite or PostgreSQL.

``engine``                opens a database; gives transactions
``schema``                declares the tables
``migration``             brings the tables up to date; ``migrations`` holds the changes
``transactions``          appends events, and wakes those who wait for them
``batch_repository``      batches and tasks: the methods that the rest of the service calls, made of
                          ``batch_intake`` (new ones), ``batch_queries`` (lists), ``task_control`` (cancel, pause),
                          ``handovers`` (what the fleet lacks), ``task_records`` (what the fleet says), ``batch_counts``
``event_repository``      live events
``token_repository``      tokens
``audit_repository``      the audit log
``schedule_repository``   schedules
``webhook_repository``    webhooks, with ``delivery_intake`` (what to send) and ``deliveries`` (what came of it)
``workload``              what stands before a batch, for forecasts
``row_numbers``           ids and cursors, as clients see them
"""
