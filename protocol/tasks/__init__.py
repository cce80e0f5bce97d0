"""Define tasks as people write them, and their checks."""
