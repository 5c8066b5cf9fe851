"""Documents of many formats: their index and ranking."""
