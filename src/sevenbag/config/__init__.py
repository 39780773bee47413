"""Configuration from TOML files, environment variables, options and forms."""
