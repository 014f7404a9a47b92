"""Partition in, topics out: PhraseLDA and how its topics are ranked."""
