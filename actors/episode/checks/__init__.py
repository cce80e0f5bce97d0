"""Find out what came of an episode: its answer, its check, its side effects."""
