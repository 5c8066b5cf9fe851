"""The tools of network triage; all of them only read."""
