"""Resume an interrupted episode in place, from its journal."""
