"""``python -m manyhands``: the command ``manyhands``."""

from manyhands.deploy.command_line.cli import main

main()
