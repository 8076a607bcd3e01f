"""What an operator runs: the embedded stack, dashboards, alerts, runbooks and images."""
