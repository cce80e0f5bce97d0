"""Define what roles are asked, how they reply, and what they learn."""
