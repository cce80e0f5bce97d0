"""The shell of a virtual phone: a small POSIX shell over in-memory files and a table of Android commands.

``words``, ``lexer``, ``parser``  a text becomes a tree; a syntax error executes nothing
``interpreter``                   executes the tree
``streams``                       stdin, stdout and stderr of a command
``files``, ``capture``, ``finger`` what commands work on: files, the screen, a finger on it
``system``                        the phone as a whole
``patterns``                      regular expressions of a client, which hold up nobody
``intents``                       what ``am`` and ``pm`` are asked for
``command``                       what a command is; the modules in ``commands`` hold them by concern

Nothing that arrives is executed on the host, and no file of the host is touched.
"""
