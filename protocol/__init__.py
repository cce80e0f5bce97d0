"""Define what actors exchange and what a run stores. Imports no other package of ours.

The types belong to three families, which are never mixed:

- ``protocol.roles.replies``: what a model must write; JSON schemas. Coordinates are in the model's own space.
- ``protocol.messages``, ``requests`` and others: what actors send each other. Coordinates are pixels of the screenshot.
- ``protocol.journals``: what is stored. Readers ignore fields that a newer version added.
"""

PROTOCOL_VERSION = 1
"""The version of messages and journals. Later versions read the journals of version 1. A field that is added with a
default does not change it, because readers ignore fields that they do not know. What was written before version 1
carries a text in its place, and is refused."""
