"""What the tests of runs share: a small corpus, and all that is a model in a directory."""

from corpora import titles as texts
from corpora import write_titles as write_corpus
from directories import bytes_of as all_files
from directories import model_bytes as model_files

__all__ = ["QUICK", "all_files", "model_files", "texts", "write_corpus"]

QUICK = ["--topics", "3", "--sweeps", "20", "--no-report"]
