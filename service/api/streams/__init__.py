"""Stream events and pictures to clients."""
