"""``manyhands bench perceive``: compare reading in part with reading in full."""
