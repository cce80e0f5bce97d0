"""Who says it: roles, perception, phones, episodes, dispatcher, memory, journal.

An actor is a plain class: settings in the constructor, collaborators opened in ``async start()`` and
closed in ``async stop()``. ``actors.remote`` puts a class behind Ray.
"""
