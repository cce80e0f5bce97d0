"""Learn after a task: keep shortcuts and tips that the journal supports (Mobile-Agent-E, section 3.2)."""
