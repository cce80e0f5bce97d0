"""Send episodes, steps, stages and model calls as spans to a collector of OpenTelemetry.

Spans are made from the journals of a run folder, outside the actors: the journals on disk are the queue.
``progress.py`` keeps on disk how far each journal was sent, so a restart continues there.
"""
