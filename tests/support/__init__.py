"""What several suites share: builders and readers of recorded data."""
