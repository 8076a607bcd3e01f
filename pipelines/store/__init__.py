"""PostgreSQL: the only source of truth. SQL lives in sql/; here is how it is run."""
