"""Example data to try Oracle on."""
