"""Compiling kernels before they are needed.

A kernel is compiled when it is first called, and kept on disk (jit/cache.py). Each job in jobs.py calls the
kernels of one part of the program, so that several processes can compile at the same time. ``topminer warm``
does all jobs. A command whose kernels are missing starts a helper (processes.py): a process that does the
command's jobs from the last to the first, while the command compiles what it needs first.
"""
