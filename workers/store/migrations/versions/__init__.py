"""One file a migration; its number is its order."""
