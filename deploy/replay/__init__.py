"""Recorded requests of a run: replayed to another model, or counted in tokens."""
