"""Pages to read, with exact texts, lines and words off the browser: the ground for perception's reading of text."""
