"""What is asked of a home: a sentence, and the things that are there, to a request with its targets. Pure."""
