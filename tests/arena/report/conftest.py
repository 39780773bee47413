"""Chromium, for the page of a report."""

from tests.browser import browser, expected_errors, new_page

__all__ = ["browser", "expected_errors", "new_page"]
