"""Built-in bots, drivers for external bots, and servers that expose bots."""
