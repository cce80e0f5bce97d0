"""Read only what no earlier picture has: compare rows and pages, and find what is left to read."""
