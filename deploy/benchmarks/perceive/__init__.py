"""``manyhands bench perceive``."""
