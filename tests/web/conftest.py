"""Fixtures of browser tests, for the page and the contest site."""

from __future__ import annotations

from tests.browser import browser, expected_errors, new_page

__all__ = ["browser", "expected_errors", "new_page"]
