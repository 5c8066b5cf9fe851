"""What memory brings beside its agents, tools and settings; see `workers.settings.contributions`."""

CONTRIBUTIONS = {
    "commands": {
        "vault": ("workers.agents.memory.commands:vault", "Read, move, index and merge the notes of the vault."),
    },
    "routes": {
        "threads and memories": (
            "workers.agents.memory.routes:add_routes",
            "A person's threads and memories over HTTP.",
        ),
    },
    "resources": {
        "thread": ("workers.agents.memory.resources:Threads", "A person's threads over MCP."),
        "note": ("workers.agents.memory.resources:Notes", "The notes of the vault over MCP."),
    },
    "subcommands": {
        "remember TEXT": (
            "workers.agents.memory.subcommands:remember",
            "for you alone; I use it in answers that only you read.",
        ),
        "memories": ("workers.agents.memory.subcommands:memories", "what I remember of you."),
        "forget NUMBER|WORDS": ("workers.agents.memory.subcommands:forget", "removes one of them."),
    },
}
