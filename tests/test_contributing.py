"""What CONTRIBUTING.md tells of the code is true."""

import re

import pytest
from project import ROOT

SOURCES = {path.relative_to(ROOT).as_posix(): path.read_text() for path in (ROOT / "src").rglob("*.py")}
PATHS = [path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*.*")]
WALK = re.search(
    "### One document's way(.*?)### Adding", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL
)
NAMED = sorted(set(re.findall(r"`([A-Za-z_./]+)`", WALK[1]))) if WALK else []


@pytest.mark.small
@pytest.mark.parametrize("name", NAMED)
def test_the_walk_names_what_there_is(name: str) -> None:
    if name.endswith((".py", ".js", ".html", "/")):
        assert any(f"/{name}" in path for path in PATHS)
    else:
        last = name.rpartition(".")[2]
        assert any(re.search(rf"(def|class) {last}\b", source) for source in SOURCES.values())


@pytest.mark.small
def test_there_is_a_walk() -> None:
    assert len(NAMED) > 30
