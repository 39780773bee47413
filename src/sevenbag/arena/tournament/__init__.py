"""Play tournaments in a folder: configuration, schedule, files, results and summary."""
