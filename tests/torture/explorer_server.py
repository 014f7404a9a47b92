"""The explorer as a server in a process of its own, with short limits, so that slow clients end soon.

The server ends when its standard input does: when it is told to, and when the process that started it dies.
"""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Self

SECONDS = 3.0  # the limit for headers, for bodies and for reading
SECONDS_TO_START = 300.0  # kernels may have to be compiled first
SECONDS_TO_END = 60.0


class Server:
    """A context manager: the server runs inside it, and is killed if it does not end by itself."""

    def __init__(self, directory: Path, log: Path) -> None:
        self._directory, self._log = directory, log
        self.port = 0

    def __enter__(self) -> Self:
        paths = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))
        command = [sys.executable, "-m", "torture.explorer_server", str(self._directory)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with self._log.open("wb") as log:
            environment = {**os.environ, "PYTHONPATH": paths}
            self._process = subprocess.Popen(command, env=environment, stderr=log, **pipes)
        assert self._process.stdout is not None
        hung = threading.Timer(SECONDS_TO_START, self._process.kill)
        hung.start()
        line = self._process.stdout.readline()
        hung.cancel()
        if not line:
            self._process.kill()
            raise RuntimeError(f"the explorer does not start: {self.logged()}")
        self.port = int(line)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def logged(self) -> str:
        """What the server has written to its terminal: tracebacks, if anything."""
        return self._log.read_text(encoding="utf-8", errors="replace")[-3000:]

    def end(self) -> str | None:
        """Have the server end by itself; what was wrong with it, if anything."""
        if self._process.poll() is not None:
            return f"the server ended with exit code {self._process.returncode}: {self.logged()}"
        try:
            self._process.communicate(timeout=SECONDS_TO_END)  # closes its standard input
        except subprocess.TimeoutExpired:
            return "the server did not end when it was told to"
        if self._process.returncode != 0 or self.logged():
            return f"the server ended with exit code {self._process.returncode} and wrote: {self.logged()}"
        return None


def serve(directory: Path) -> None:
    """Serve until standard input ends."""
    from topminer import load
    from topminer.views.explorer.app import create_app
    from topminer.views.explorer.explorer import Explorer
    from topminer.views.explorer.server import Limits, server_of

    explorer = Explorer(load(directory, n_threads=1), directory)
    explorer.page()
    limits = Limits(headers=SECONDS, body=SECONDS, reading=SECONDS, idle=int(SECONDS))
    server = server_of(create_app(explorer), limits)

    def watch() -> None:
        sys.stdin.read()
        server.should_exit = True

    with socket.create_server(("127.0.0.1", 0)) as sock:
        threading.Thread(target=watch, daemon=True).start()
        print(sock.getsockname()[1], flush=True)
        server.run(sockets=[sock])
    explorer.close()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
