"""The command ``manyhands``: its commands, their options, and what they print."""
