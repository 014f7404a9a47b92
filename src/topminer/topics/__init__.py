"""Topics of a partition: the model, its sampler, the kernels, and the results."""
