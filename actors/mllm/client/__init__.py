"""Call the servers of a model, with repeated attempts, deadlines and a record of every call."""
