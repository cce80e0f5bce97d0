"""Mobile-Agent-E (section 3.1 of its paper)."""
