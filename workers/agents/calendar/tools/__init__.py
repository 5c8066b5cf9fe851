"""The tools of calendars; those in `calendar_changes` propose, and a person confirms."""
