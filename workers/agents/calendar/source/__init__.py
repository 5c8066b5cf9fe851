"""Calendars of people and of on-call rotations: CalDAV, ICS addresses, and folders of .ics files."""
