"""Requests of independent authors to home, calendar, network, deals and knowledge, asked and judged."""
