"""What is read from fitted topics: frequencies, rankings, topics of new documents."""
