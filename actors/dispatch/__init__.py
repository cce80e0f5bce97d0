"""Which task runs on which phone, and what follows when one is lost."""
