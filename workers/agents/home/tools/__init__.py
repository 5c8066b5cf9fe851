"""The tools of a home; those in `home_assistant_changes` propose, and a person confirms."""
