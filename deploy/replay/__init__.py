"""Replay a run's recorded requests to another model, or count their tokens."""
