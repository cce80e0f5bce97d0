"""Learning after a task: what its journal bears out (Mobile-Agent-E, section 3.2)."""
