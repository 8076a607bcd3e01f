"""Importance: takes turns in, redacts and scores them, keeps working memory and sessions, ends sessions."""
