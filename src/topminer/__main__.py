"""``python -m topminer``."""

from __future__ import annotations

import sys

from topminer.cli import main

sys.exit(main())
