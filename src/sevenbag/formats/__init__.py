"""Files that games are kept in; each module reads and writes one of them."""
