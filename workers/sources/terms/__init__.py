"""Words of source, prose and questions."""
