"""``make torture``: damaged models, forged numbers, killed runs and hostile input, thousands of each.

Each module that has a ``NAME`` is one part, one row of the table: it also has ``WANTED``, the number of
trials of a full run, and a function ``torture(trials)`` that makes them. ``WEIGHT`` is its share of the time
(1 if not given), ``SHORT`` the number of trials in the test suite (4 if not given).

The other modules are what the parts share: ``trials`` counts, ``processes`` runs work in a child, ``preload``
makes children start quickly, ``specimens`` makes models and checkpoints, ``forge`` rewrites them and
``commands`` uses them. ``parts`` runs parts in processes, and ``results`` is the table.
"""
