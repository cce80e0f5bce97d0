"""Do the work of ``manyhands perceive``: read picture files, draw and score what was read."""
