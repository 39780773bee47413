"""Fixtures of browser tests, for the page and the contest site."""

from tests.browser import browser, expected_errors, new_page

__all__ = ["browser", "expected_errors", "new_page"]
