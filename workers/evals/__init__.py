"""Evaluation suites: cases with what a good answer must hold, worlds to ask them of, and what came of a run."""
