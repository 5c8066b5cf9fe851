"""What a tool is, the registry that builds them from configuration, and the wrappers around every call."""
