"""What caused an incident: candidates of every kind, what speaks for and against each, and a verdict."""
