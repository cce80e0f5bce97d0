"""Read a run's recorded requests again: replayed to another model, counted in tokens."""
