"""Make figures and views of learning: what tasks knew, used and taught."""
