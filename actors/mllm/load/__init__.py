"""How much is sent to which server, and when."""
