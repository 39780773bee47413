"""A web page on which bots play matches, some of them in the page itself."""
