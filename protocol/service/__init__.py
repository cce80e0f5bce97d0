"""Define what clients and the service (``manyhands serve``) say to each other over HTTP.

``access``      roles of tokens, and the pages of long lists
``batches``     batches and tasks, as clients submit them and as the service shows them
``episodes``    episodes and their steps, as the service shows them
``fleet``       phones, models and figures, as the service shows them
``events``      the live events of a service
``schedules``   batches that are submitted again and again
``webhooks``    addresses that are told of events
``instants``    the type of all moments, with their ISO 8601 texts

Nothing here knows HTTP: ``service/`` serves these types, and ``service/client/`` asks for them.
"""
