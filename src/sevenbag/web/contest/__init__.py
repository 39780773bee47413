"""The contest site: public pages, pages for teams and administrators, API for programs."""
