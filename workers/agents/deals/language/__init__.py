"""How requests about deals are read: terms, places, lines of business, names; without any records."""
