"""Commands about perfect clears, and the program ``pc``."""
