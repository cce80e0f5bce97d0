"""The dispatcher: it gives tasks to phones, and the tasks of lost phones to others."""
