"""What a blank document is: nothing but white space as Unicode defines it."""

import sys

# Python's str.strip also takes four control characters that Unicode does not call white space.
WHITE_SPACE = "".join(
    char for char in map(chr, range(sys.maxunicode + 1)) if char.isspace() and not "\x1c" <= char <= "\x1f"
)


def is_blank(text: str) -> bool:
    return not text.strip(WHITE_SPACE)
