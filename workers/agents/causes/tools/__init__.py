"""The tools of causes and triage."""
