"""`doctor`: checks everything the workers depend on, and says how to mend what it finds."""
