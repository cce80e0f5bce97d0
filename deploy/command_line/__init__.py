"""The command ``manyhands``: its subcommands, their options and their output."""
