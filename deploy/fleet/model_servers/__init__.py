"""Find the models of a run and try them before the first task."""
