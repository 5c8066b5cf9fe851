"""The tools over the operations data; they only read."""
