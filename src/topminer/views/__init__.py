"""What a person sees of a result: charts and pages. Views take what is computed, and compute nothing."""
