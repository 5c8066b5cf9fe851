"""Calendars of a small team, for the demo."""
