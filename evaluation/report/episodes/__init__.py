"""Show one episode, its steps and its calls."""
