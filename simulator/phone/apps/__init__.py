"""Hold the apps of a virtual phone and the host that runs them."""
