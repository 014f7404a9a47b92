"""Values that break things: parts of the torture share them."""

INTEGERS = (
    *(-1, 0, 1, 2, 3, 5, 40, 150, 255, 32767, 65535, 65536, 10**8, 2**31 - 1, -(2**31), 2**32, 2**53),
    *(2**63 - 1, -(2**63)),
)
FLOATS = (
    *(float("nan"), float("inf"), float("-inf"), -1.0, -0.0, 0.0, 0.5, 1e-300, 5e-324, 1e30, 1e300, -1e300),
    65535.5,
)
TEXTS = (
    *("", " ", "x", "-", "\0", "a\0b", "a\nb", "../..", "/etc/passwd", "C:\\x", "%s{0}$(x)", "[a-z]*"),
    *("\u202egnp.exe", "\ufeff", "=HYPERLINK(1)", "<script>alert(1)</script>", "é" * 100_000),
)
