"""Suricata's log of events (EVE, JSON lines): read, followed, kept in the database, and asked."""
