"""``make torture``: damaged models, forged numbers, killed runs and hostile input, thousands of each.

Each module of this package but ``trials`` and ``processes`` is one part, one row of the table: it has a ``NAME``, the
number of trials that a full run ``WANTED``, and a function ``torture(trials)`` that makes them.
"""
