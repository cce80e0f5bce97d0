"""Define an episode's records, and the files that hold them."""
