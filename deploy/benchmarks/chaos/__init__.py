"""``manyhands bench chaos``."""
