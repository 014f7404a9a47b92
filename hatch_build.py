"""Building a wheel that carries compiled kernels: ``make wheel``.

The hook is off by default: a wheel without kernels is small and fits every machine. Turned on, it compiles
all kernels for x86-64-v3 processors, with the Python and the Numba of the build. Where these do not fit, the
kernels are ignored, and others are compiled at the first run as usual.
"""

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CPU = "x86-64-v3"
PLATFORMS = {"linux": "manylinux_2_28_x86_64", "darwin": "macosx_11_0_x86_64", "win32": "win_amd64"}


class CompiledKernels(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        if (machine := platform.machine()) not in ("x86_64", "AMD64"):
            raise SystemExit(f"kernels are compiled on x86-64 processors only, not on {machine}")
        self.folder = tempfile.TemporaryDirectory()
        source = str(Path(self.root) / "src")
        surroundings = {
            "PYTHONPATH": os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH")))),
            "NUMBA_CACHE_DIR": self.folder.name,
            "NUMBA_CPU_NAME": CPU,
            "NUMBA_CPU_FEATURES": "",
        }
        subprocess.run([sys.executable, "-m", "topminer", "warm"], env=os.environ | surroundings, check=True)
        build_data["force_include"][self.folder.name] = "topminer/jit/compiled"
        python = "cp{}{}".format(*sys.version_info)
        build_data["pure_python"] = False
        build_data["tag"] = f"{python}-{python}-{PLATFORMS[sys.platform]}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self.folder.cleanup()
