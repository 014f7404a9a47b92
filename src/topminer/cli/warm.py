"""``topminer warm``: compile all kernels beforehand."""

from __future__ import annotations

from topminer.cli.command import spread
from topminer.cli.options import RunOptions
from topminer.errors import InputError

EXAMPLES = ["topminer warm", "topminer warm --threads 1"]


@spread
def warm(run: RunOptions) -> None:
    """Compile beforehand what any command needs.

    A kernel is compiled when it is first used, and kept on disk for all later runs. This compiles all of
    them at once, on all cores: in an image for a server, or before a machine goes offline.
    """
    from topminer.cli.session import Session
    from topminer.engines.local import n_threads_or_all
    from topminer.views.numbers import counted
    from topminer.warming.processes import CompilationFailed, compile_all

    session, n_functions = Session(run), 0
    with session.progress() as progress:
        try:
            for n_functions, expected in compile_all(n_threads_or_all(run.threads)):
                progress("Compiling", n_functions, expected, "functions")
        except CompilationFailed as error:
            raise InputError(str(error)) from None
    done = f"Compiled {counted(n_functions, 'function')}; no command compiles anything from now on"
    session.say(done if n_functions else "Everything was compiled already")
