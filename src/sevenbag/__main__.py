"""``python -m sevenbag`` is the command ``sevenbag``."""

import sys

from sevenbag.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
