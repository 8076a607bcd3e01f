"""The embedded stack: PostgreSQL, a broker, the workers and the gateway under one supervisor.

It is for trying Lithify out and for tests. Nothing is written outside its data folder, and stopping it leaves
neither a process nor a file elsewhere.
"""
