"""``manyhands bench overhead``."""
