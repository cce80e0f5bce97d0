"""Make requests to models: their body, pictures, coordinates and reply format."""
