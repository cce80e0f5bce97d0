"""Provide the command ``manyhands``: subcommands, options and output."""
