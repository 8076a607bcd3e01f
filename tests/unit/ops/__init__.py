"""What is shipped to operators, checked as far as that goes without an engine."""
