"""Server, request checks and static files that both web applications use."""
