"""From kept tokens to phrases: Algorithm 1, equation 1 and Algorithm 2 of the paper."""
