"""How it is put on machines: settings, commands, the public API."""
