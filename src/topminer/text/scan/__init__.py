"""The scanner: UTF-8 bytes to tokens, chunks and kept tokens. Kernels only; docs/text.md states the rules."""
