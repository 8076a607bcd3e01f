"""How promotion by evidence does on simulated users; see `docs/promotion-results.md`."""
