"""The vault: a folder of Markdown notes as Obsidian writes them, read, linked, changed and searched."""
