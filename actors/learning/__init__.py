"""Learning after a task: shortcuts and tips that its journal supports (Mobile-Agent-E, section 3.2)."""
