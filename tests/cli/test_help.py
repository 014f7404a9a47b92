"""Every command helps, and is documented."""

import re

import pytest
from project import ROOT
from typer.testing import CliRunner

from topminer.cli.app import app, command

COMMANDS = command().commands


@pytest.mark.parametrize("name", COMMANDS)
def test_help_explains_and_gives_an_example(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"], env={"NO_COLOR": "1"})
    assert result.exit_code == 0
    assert COMMANDS[name].help.splitlines()[0] in result.output
    assert re.search(rf"\$ .*topminer {name}", result.output)
    assert CliRunner().invoke(app, [name, "-h"], env={"NO_COLOR": "1"}).output == result.output
    assert [parameter.name for parameter in COMMANDS[name].params if not parameter.help] == []
    documented = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert f"\n## {name}\n" in documented and f"_generated/{name}.txt" in documented


def test_the_commands_are_listed_in_the_order_a_newcomer_meets_them() -> None:
    result = CliRunner().invoke(app, ["--help"], env={"NO_COLOR": "1"})
    assert result.exit_code == 0
    listed = re.findall(r"^│ ([a-z]+) ", result.output, re.MULTILINE)
    met = "demo run topics report serve label export infer resume inspect phrases explain tune evaluate"
    met += " compare warm"
    assert listed == met.split()
    assert listed == list(COMMANDS)
