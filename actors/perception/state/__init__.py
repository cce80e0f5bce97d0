"""Determine the phone's state from pixels alone."""
