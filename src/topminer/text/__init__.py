"""From text to a corpus."""
