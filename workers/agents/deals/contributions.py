"""What deals bring beside their agent and their tools; see `workers.settings.contributions`."""

CONTRIBUTIONS = {
    "commands": {
        "deals": ("workers.agents.deals.commands:deals", "Load records of deals, learn their ranking, ask about them."),
    },
    "demo": {"deals": ("workers.agents.deals.demo:build_demo", "600 past deals.")},
}
