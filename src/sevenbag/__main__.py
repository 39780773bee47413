"""Run the command ``sevenbag`` as ``python -m sevenbag``."""

import sys

from sevenbag.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
