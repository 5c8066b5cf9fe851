"""Orders and refunds."""
