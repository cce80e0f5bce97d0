"""Show runs to Prometheus and OpenTelemetry.

Spans of episodes, steps, stages and model calls are made from the journals of a run folder, outside the actors: the
journals on disk are the queue. ``episode_trace`` keeps on disk how far each journal was sent, so a restart continues
there.
"""
