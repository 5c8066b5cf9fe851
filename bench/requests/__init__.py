"""Requests of independent authors to home, calendar, network, deals, knowledge: asked, and held against their outcomes."""
