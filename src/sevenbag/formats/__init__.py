"""File formats: fumen, ``.pc`` files, replays, and replays of TETR.IO."""
