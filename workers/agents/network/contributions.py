"""What network triage brings beside its agent, its tools and its sections of ``oracle.yaml``."""

CONTRIBUTIONS = {
    "tasks": {
        "sensors": (
            "workers.agents.network.tasks:SENSOR_LOGS",
            "Reads what sensors wrote since the last look, and forgets what is old.",
        )
    },
    "tables": {"sensors": ("workers.agents.network.tables:TABLES", "What is kept of sensors' logs.")},
}
