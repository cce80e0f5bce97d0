"""Write the report of a run: pages that a person reads, made from the run folder alone."""
