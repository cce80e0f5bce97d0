"""Record an episode: its journal, its phone's log, and times that do not count."""
