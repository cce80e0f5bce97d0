"""Parse a model's output into a reply. ``replies`` is the only entry: no other code reads model output."""
