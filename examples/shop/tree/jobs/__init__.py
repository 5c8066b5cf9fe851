"""Jobs that run on a schedule, outside the web process."""
