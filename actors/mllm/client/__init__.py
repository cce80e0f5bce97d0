"""The client of a model's servers: attempts, deadlines, and a record of every call."""
