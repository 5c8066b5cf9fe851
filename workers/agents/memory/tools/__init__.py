"""The tools of memory and the librarian; those that write propose, and a person confirms."""
