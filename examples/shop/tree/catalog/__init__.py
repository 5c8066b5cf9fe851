"""The catalogue: products and their stock."""
