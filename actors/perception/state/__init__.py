"""The phone's state, from pixels alone."""
