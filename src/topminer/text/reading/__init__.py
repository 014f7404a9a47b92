"""Files to rows: decompression, encodings, formats, columns, times."""
