"""``manyhands bench soak``."""
