"""Customer accounts."""
