"""The client of an OpenAI-compatible model server, and the dialects of model families."""
