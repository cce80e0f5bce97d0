"""Compare recorded replies of models with new ones."""
