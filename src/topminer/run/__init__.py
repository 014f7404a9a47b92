"""A run on several workers, which hold their documents and meet on disk."""
