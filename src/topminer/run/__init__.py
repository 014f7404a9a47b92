"""One run of the whole method: its steps (job.py), in this process (memory.py) or on a cluster (cluster.py)."""
