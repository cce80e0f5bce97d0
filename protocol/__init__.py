"""What is exchanged or stored: messages, actions, screens, records, the codec, errors. Imports nothing of ours.

Three families, never mixed:

- ``protocol.replies``: what a model must write, in the model's own coordinate space; JSON schemas.
- ``protocol.messages`` and friends: what our actors say to each other; pixels of the screenshot.
- ``protocol.records`` and ``protocol.envelope``: what is stored and sent; tolerant of newer fields.
"""

PROTOCOL_VERSION = "1.1"
"""1.1: records have places and epochs, and an episode can be resumed."""
