"""Pictures and tables of the manual, made by the package itself.

`make docs` writes them; a test tells when they are no longer what it would write. A picture is a
function listed in a module's `PICTURES`, and lies in docs/pictures under the function's name. A
table is one listed in `TABLES`, and replaces what lies between ``<!-- table: name -->`` and
``<!-- end of table -->`` in a page.
"""
