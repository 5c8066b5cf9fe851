"""The tools over past deals."""
