"""Home Assistant: what is in a home, how it stands, how it stood, and changes, over its REST and WebSocket APIs."""
