"""Verdicts on incidents, and decisions on alerts, as evidence."""
