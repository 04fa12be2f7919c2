"""Stacks of sheets: found, kept by content, read on every core or a cluster, and put into the event's store."""
