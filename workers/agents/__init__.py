"""One folder an agent; `config/agents.yaml` names them, and `workers.agents.registry` loads them."""
