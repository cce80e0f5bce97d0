"""``manyhands bench edge``."""
