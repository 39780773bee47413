"""The command line: each module is one command, which parses, calls and prints."""
