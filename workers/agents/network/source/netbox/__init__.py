"""NetBox, the record of devices, addresses and prefixes, by its REST API. Every request is a GET."""
