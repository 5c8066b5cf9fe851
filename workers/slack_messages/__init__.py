"""Messages of Slack, read once: whatever holds them, an event, an answer of its Web API or an export. PURE."""
