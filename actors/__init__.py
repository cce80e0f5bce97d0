"""Roles, perception, phones, episodes, the dispatcher, memory and the store, as actors.

An actor is a plain class. Its constructor takes settings; ``async start()`` opens the collaborators and ``async
stop()`` closes them. ``actors.remote`` runs such a class as a Ray actor.
"""
