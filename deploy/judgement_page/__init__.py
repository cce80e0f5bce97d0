"""A person judges a run: a page on this machine, and the judgements that its keys make (docs/judging.md)."""
