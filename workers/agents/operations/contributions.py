"""What operations brings beside its agent, tools and settings."""

CONTRIBUTIONS = {
    "commands": {
        "load": (
            "workers.agents.operations.commands:load",
            "Load operations data: deployments, users, requests.",
        ),
    },
}
