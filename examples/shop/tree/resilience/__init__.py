"""What keeps us standing when a dependency does not: timeouts, retries, circuit breakers."""
