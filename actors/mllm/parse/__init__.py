"""Read a model's output as a reply. ``replies`` is the one place that does: nothing else reads model output."""
