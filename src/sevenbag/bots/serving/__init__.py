"""Adapters and servers that expose a bot to another program."""
