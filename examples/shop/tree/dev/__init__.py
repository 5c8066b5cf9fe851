"""Stand-ins for other teams' services, for development and tests."""
