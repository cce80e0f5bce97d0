"""What runs learned: what tasks knew, used and taught."""
