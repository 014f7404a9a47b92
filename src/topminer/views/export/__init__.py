"""A fitted model for other programs: tables in bounded batches, LaTeX, and what pyLDAvis takes."""
