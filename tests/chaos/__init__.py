"""What really happens: crashes, outages, broken lines, changing replicas. Afterwards, the facts of a quiet run."""
