"""A small home behind the API of Home Assistant, for the demo and for tests."""

from examples.home_assistant.server import serve_home

__all__ = ["serve_home"]
