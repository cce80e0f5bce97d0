"""Manage the load on the servers: which server a call goes to, how many calls run at a time, and which calls wait."""
