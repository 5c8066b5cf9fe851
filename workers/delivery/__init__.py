"""How answers look: PURE renderers of what the engine returns."""
