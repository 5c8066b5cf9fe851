"""HTTP in: requests, responses, routes and what happens around every request."""
