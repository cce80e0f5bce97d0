"""Keep batches and tasks."""
