"""One run of the whole method: its steps (job.py), in memory (memory.py) or on a cluster (cluster.py)."""
