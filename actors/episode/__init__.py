"""One attempt at one task on one phone: state, schedule, stages, host."""
