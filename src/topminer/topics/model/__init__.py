"""PhraseLDA: the estimator, its priors and its likelihood."""
