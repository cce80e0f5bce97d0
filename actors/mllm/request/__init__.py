"""Make requests to models: their body, their pictures, their coordinates, the form of the reply."""
