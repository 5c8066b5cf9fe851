"""Who may ask what, see what and press what: one policy, one decision."""
