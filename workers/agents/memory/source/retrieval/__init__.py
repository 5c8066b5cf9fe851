"""Retrieval over everything that is remembered: analyse, retrieve side by side, rank, assemble. The engine writes."""
