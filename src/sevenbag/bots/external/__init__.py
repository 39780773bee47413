"""Drivers that make external programs, WebSocket servers and web workers bots."""
