"""Define what actors exchange and what a run stores. Imports no other package of ours.

The types belong to three families, which are never mixed:

- ``protocol.roles.replies``: what a model must write; JSON schemas. Coordinates are in the model's own space.
- ``protocol.messages``, ``requests`` and others: what actors send each other. Coordinates are pixels of the screenshot.
- ``protocol.journals``: what is stored. Readers ignore fields that a newer version added.
"""

PROTOCOL_VERSION = "1.1"
"""Since 1.1, records carry a place in the journal and the epoch of a lease, and an episode can be resumed."""
