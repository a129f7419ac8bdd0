"""What each command does: find inputs by key, verify them, build a folder whole or not at all."""
