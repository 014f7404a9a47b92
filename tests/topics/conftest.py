"""Its place lets tests in folders below import chains.py and assigned.py."""
