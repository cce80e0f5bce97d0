"""Pages to read, with the exact place of every word: python -m training.screens.reading --help."""
