"""The gateway: reading and writing a user's memory from the outside, over HTTP.

One module per noun. Every read goes through `database.Database.read`, which confines the transaction to one subject;
every write is an event on `lithify-turns`, and the workers decide.
"""
