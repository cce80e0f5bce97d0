"""Provide the shell of a virtual phone: a small POSIX shell and Android's commands.

``language``   parses and executes shell lines
``command``    defines a command and its call; ``streams`` has stdin, stdout and stderr
``commands``   has Android's commands, by subject; ``cmd`` runs some of them as services
``intents``, ``patterns``, ``providers``  read intents and regular expressions, and hold the rows of content providers

The shell executes nothing on the host and touches no file of the host.
"""
