"""What runs: importance, extraction, conflict, reflection, the gateway, and the operators' commands."""
