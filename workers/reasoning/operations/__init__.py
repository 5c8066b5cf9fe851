"""How the rules answer questions about model deployments in operation: pattern, parameters, steps, words."""
