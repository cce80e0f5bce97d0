"""Provide a virtual phone as its shell sees it: files, log, ledger, screenshots, a finger (all in ``phone_system``)."""
