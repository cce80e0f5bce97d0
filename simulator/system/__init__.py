"""The phone as its shell finds it: files, log, ledger, screenshots, a finger (``phone_system`` holds them)."""
