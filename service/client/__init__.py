"""Use a service (``manyhands serve``) from Python: typed methods over its HTTP interface.

``async_client``      the client for programs with asyncio, and its methods for schedules and webhooks
``sync_client``       the same methods for all other programs
``batch_calls``       its methods for batches, tasks and their results
``fleet_calls``       its methods for phones, models, episodes, tokens and the service as a whole
``event_reader``      live events, without a gap and without a double when the connection breaks
``http_connection``   requests, their repetition, what can go wrong, and the errors that answers stand for
``service_address``   which service, and with which token
``service_progress``  the progress of a batch, from events, for a live display
"""
