"""The shell of a virtual phone: a small POSIX shell over in-memory files and a table of Android commands.

``words``, ``lexer``, ``parser``  a text becomes a tree; a syntax error executes nothing
``interpreter``                   executes the tree
``streams``                       stdin, stdout and stderr of a command
``files``, ``capture``, ``system`` what commands work on: files, the screen, the phone as a whole
``command``                       what a command is; the modules in ``commands`` hold them by concern

Nothing that arrives is executed on the host, and no file of the host is touched.
"""
