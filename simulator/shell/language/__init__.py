"""Implement the language of the shell, a small part of POSIX.

``words``, ``lexer``, ``parser``  turn a text into a tree; if it has a syntax error, nothing is executed
``expansion``, ``interpreter``    execute the tree
"""
