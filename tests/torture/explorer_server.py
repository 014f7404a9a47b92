"""The explorer as a server in a process of its own, with short limits, so that slow clients end soon.

The server ends when its standard input does: when it is told to, and when the process that started it dies.
"""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
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
        tests = str(Path(__file__).parents[1])
        paths = os.pathsep.join(filter(None, [tests, os.environ.get("PYTHONPATH")]))
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "torture.explorer_server", str(self._directory)],
                env={**os.environ, "PYTHONPATH": paths},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def logged(self) -> str:
        """What the server has written to its terminal: tracebacks, if anything."""
        return self._log.read_text(encoding="utf-8", errors="replace")[-3000:]

    def end(self) -> str | None:
        """Have the server end by itself; what was wrong with it, if anything."""
        assert self._process.stdin is not None
        if self._process.poll() is not None:
            return f"the server ended with exit code {self._process.returncode}: {self.logged()}"
        self._process.stdin.close()
        try:
            code = self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return "the server did not end when it was told to"
        if code != 0 or self.logged():
            return f"the server ended with exit code {code} and wrote: {self.logged()}"
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
