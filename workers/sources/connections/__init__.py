"""What a configuration names: repositories and folders, kept, fetched, crawled and opened."""
