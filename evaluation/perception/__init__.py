"""Score perception: compare what was read with labels of texts and icons."""
