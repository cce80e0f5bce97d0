"""The shell of a virtual phone: a small POSIX shell and Android's commands.

``language``   from a text to what it does
``command``    what a command is, and what it is called with; ``streams`` are its stdin, stdout and stderr
``commands``   Android's commands, by concern; ``cmd`` runs some of them as services
``intents``, ``keycodes``, ``patterns``  what commands read: intents, names of keys, regular expressions

Nothing that arrives is executed on the host, and no file of the host is touched.
"""
