"""Read a phone's pictures and its tree of views."""
