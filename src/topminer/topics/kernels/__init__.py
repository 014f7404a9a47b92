"""The kernels of Gibbs sampling."""
