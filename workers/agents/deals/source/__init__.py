"""Deals of a portfolio and what is known of them: records, their graph, search and ranking."""
