//! Built-in scenes and scene files.
