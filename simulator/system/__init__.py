"""The phone as its shell finds it: files, log, ledger, screenshots (``phone_system`` holds them)."""
