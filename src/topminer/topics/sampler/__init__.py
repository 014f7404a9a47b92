"""Gibbs sampling of a partition in parallel: documents in shards, phrase types in groups, counts by topic."""
