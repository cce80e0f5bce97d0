"""``manyhands bench step``."""
