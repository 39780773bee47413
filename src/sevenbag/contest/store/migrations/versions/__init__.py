"""The store's migrations, each from the version before it."""
