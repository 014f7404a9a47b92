"""Measures of topics and phrases, and experiments that use them."""
