"""The terminal app. Loaded by the command line alone, and only when a screen is wanted."""
