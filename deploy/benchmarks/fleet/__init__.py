"""``manyhands bench fleet``."""
