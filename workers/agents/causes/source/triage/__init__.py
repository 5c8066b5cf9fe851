"""Triage: which of the alerts that fired are worth waking somebody for, and which are noise, each with why."""
