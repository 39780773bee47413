"""A page on which bots play, some of them in the page itself.

`server` listens; `app` is what is served; `guard` turns foreign pages away. A page's socket becomes
a `tunnel`, through which the `room` plays a match: what the page asks for (`setup`), what it is
told (`view`), and the words of its workers (`page_channel`). `shelf` keeps the last replays.
"""
