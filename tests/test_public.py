"""What `import topminer` gives, and what it costs."""

import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from project import ROOT

import topminer

HEAVY = {"altair", "fastapi", "jinja2", "numba", "numpy", "polars", "ray", "rich", "typer"}


def test_the_public_names_are_these() -> None:
    names = "Corpus InputError Listing NotFittedError Partition PhraseLDA PhraseMiner PhraseVectorizer"
    assert topminer.__all__ == [*names.split(), "Summary", "ToPMine", "__version__", "load"]


@pytest.mark.parametrize("name", topminer.__all__)
def test_every_public_name_exists_and_is_listed(name: str) -> None:
    assert getattr(topminer, name) is not None
    assert name in dir(topminer)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Korpus'"):
        topminer.Korpus  # noqa: B018


def test_the_version_is_the_one_that_is_packaged() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert topminer.__version__ == project["version"]


def test_the_wheel_holds_the_package_with_its_files_and_nothing_else(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    packed = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = (path for path in (ROOT / "src").rglob("*") if path.is_file() and path.suffix != ".pyc")
    kept = {path.relative_to(ROOT / "src").as_posix() for path in files if "__pycache__" not in path.parts}
    assert packed == kept
    assert {path.rpartition(".")[2] for path in kept} >= {"py", "js", "css", "txt", "typed"}


def loaded_by(code: str) -> set[str]:
    """The modules a fresh interpreter has after running ``code``."""
    code += "; import sys; print('modules:', *sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.rpartition("modules:")[2].split())


def test_importing_topminer_loads_nothing_heavy() -> None:
    assert not loaded_by("import topminer") & HEAVY


def test_help_loads_nothing_but_what_draws_it() -> None:
    loaded = loaded_by("from topminer.cli import main; assert main(['--help']) == 0")
    assert loaded & HEAVY == {"rich", "typer"}


@pytest.mark.parametrize("command", ["run", "serve"])
def test_help_of_a_command_loads_nothing_but_what_draws_it(command: str) -> None:
    loaded = loaded_by(f"from topminer.cli import main; assert main([{command!r}, '--help']) == 0")
    assert loaded & HEAVY == {"rich", "typer"}
