"""Looking at the pipeline from outside: lag as time, what the database holds open, and the exporter of both."""
