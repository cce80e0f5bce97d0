"""Play AndroidWorld's tasks by our agent; the tasks' own code runs in the user's checkout, beside us.

``command`` is the command, ``episodes`` plays, ``checkout`` talks to ``task_server``, which runs in their Python.
"""
