"""Answer as each role of Mobile-Agent-E."""
