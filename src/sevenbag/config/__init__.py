"""Reading of files that users name."""
