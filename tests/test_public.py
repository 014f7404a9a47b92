"""What `import topminer` gives, and what it costs."""

import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from project import ROOT

import topminer
from topminer import views

HEAVY = {"altair", "fastapi", "jinja2", "numba", "numpy", "polars", "ray", "rich", "typer"}
DRAWING = {"altair", "fastapi", "jinja2", "topminer.views.charts", "uvicorn", "vl_convert"}

FIT = """
from topminer import ToPMine, load
texts = ["A support vector machine and a neural network.", "Machine learning: the neural network."] * 30
model = ToPMine(2, n_sweeps=5).fit(texts)
model.topics()
model.save("model")
load("model").transform(texts)
"""
COMMANDS = """
import shlex
from pathlib import Path
from topminer.cli import main
Path("texts.txt").write_text("A neural network.\\nMachine learning: a neural network.\\n" * 30)
for command in (
    "inspect texts.txt",
    "phrases texts.txt",
    "explain texts.txt 'a neural network'",
    "run texts.txt --topics 2 --sweeps 5 --no-report --output model",
    "topics model",
    "infer model texts.txt --output topics.parquet",
    "explain model 'a neural network'",
    "evaluate model",
):
    assert main(shlex.split(command)) == 0, command
"""


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


def loaded_by(code: str, folder: Path = ROOT) -> set[str]:
    """The modules a fresh interpreter has after running ``code``."""
    code += "\nimport sys; print('modules:', *sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
    assert run.returncode == 0, run.stderr
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


@pytest.mark.parametrize("code", [FIT, COMMANDS])
def test_only_what_draws_loads_what_draws(code: str, tmp_path: Path) -> None:
    assert not loaded_by(code, tmp_path) & DRAWING


def test_a_loaded_model_needs_no_more_of_scipy_than_numba_does(tmp_path: Path) -> None:
    """Its other parts take longer to load than a short text takes."""
    loaded_by(FIT, tmp_path)
    use = "from topminer import load; load('model').transform(['a neural network'])"
    loaded = loaded_by(use, tmp_path)
    parts = {"linalg", "optimize", "sparse", "spatial", "special", "stats"}
    assert not loaded & {f"scipy.{part}" for part in parts}


class TestViews:
    """The names of ``topminer.views`` are loaded when they are first used, too."""

    @pytest.mark.parametrize("name", views.__all__)
    def test_every_name_is_a_function_and_is_listed(self, name: str) -> None:
        assert callable(getattr(views, name))
        assert name in dir(views)

    def test_an_unknown_name_is_an_attribute_error(self) -> None:
        with pytest.raises(AttributeError, match="no attribute 'chart'"):
            views.chart  # noqa: B018

    def test_importing_them_loads_nothing_heavy(self) -> None:
        assert not loaded_by("import topminer.views") & (HEAVY | DRAWING)

    def test_no_module_hides_a_name(self) -> None:
        """A module that is imported becomes an attribute of its package."""
        folder = Path(views.__file__).parent
        modules = {path.stem for path in folder.glob("*.py")}
        modules |= {path.parent.name for path in folder.glob("*/__init__.py")}
        assert not modules & set(views.__all__)
