"""Learning which blanks of a line stand between two texts, from pages to read."""
