"""Checkout: from a cart to a paid order."""
