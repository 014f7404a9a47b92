"""How many topics a corpus has: a search over models with fewer and fewer topics (search.py)."""
