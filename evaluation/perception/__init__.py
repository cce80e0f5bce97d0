"""How well screens were read: readings against labels of texts and icons."""
