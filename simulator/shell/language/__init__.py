"""The language of the shell: a small POSIX shell.

``words``, ``lexer``, ``parser``  turn a text into a tree; a syntax error executes nothing
``expansion``, ``interpreter``    execute the tree
"""
