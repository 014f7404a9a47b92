"""Groups of options, spread out for Typer."""

import os
from collections.abc import Callable

import pytest
import typer
from typer.testing import CliRunner

from topminer.cli.command import spread
from topminer.cli.options import RunOptions, TextOptions, TopicOptions
from topminer.errors import InputError


def run(*arguments: str) -> list[object]:
    """What a command with every kind of parameter is called with."""
    got: list[object] = []

    def command(corpus: str, text: TextOptions, run: RunOptions, as_json: bool = False) -> None:
        got.extend([corpus, text, run, as_json])

    result = CliRunner().invoke(app_of(command), arguments)
    assert result.exit_code == 0, result.output
    return got


def app_of(command: Callable[..., None]) -> typer.Typer:
    app = typer.Typer()
    app.command()(spread(command))
    return app


def test_without_options_the_groups_have_their_defaults() -> None:
    assert run("papers.csv") == ["papers.csv", TextOptions(), RunOptions(), False]


def test_every_option_arrives_in_its_group() -> None:
    file = "--text-column t --id-column i --time-column y --input-format tsv --encoding latin-1"
    stops = "--errors strict --stop-words s.txt --stop-word-policy break --add-stop-words a --kind url=keep"
    words = "--language german --no-stem --no-numbers --token-pattern [a-z]+"
    rest = "x --threads 2 -q --as-json --min-df 2 --max-df 0.5 --dedupe"
    _, text, run_options, as_json = run(*f"{file} {stops} {words} {rest}".split())
    assert [name for name, value in vars(TextOptions()).items() if getattr(text, name) == value] == []
    given = text.text_column, text.stop_word_policy, text.stem, text.encoding
    assert given == ("t", "break", False, "latin-1")
    assert run_options == RunOptions(threads=2, quiet=True)
    assert as_json is True


def test_polars_is_told_about_the_threads(monkeypatch) -> None:
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    RunOptions()
    assert "POLARS_MAX_THREADS" not in os.environ
    RunOptions(threads=3)
    assert os.environ.pop("POLARS_MAX_THREADS") == "3"


def test_a_field_without_a_default_is_an_option_that_must_be_given() -> None:
    got: list[TopicOptions] = []

    def command(modelling: TopicOptions) -> None:
        got.append(modelling)

    app = app_of(command)
    assert CliRunner().invoke(app, ["--topics", "5"]).exit_code == 0
    assert got == [TopicOptions(topics="5")]
    missing = CliRunner().invoke(app, [])
    assert missing.exit_code == 2
    assert "Missing option '--topics'" in missing.output


def test_every_setting_of_a_model_arrives() -> None:
    options = TopicOptions(
        "7", sweeps="9", seed=3, alpha=0.2, beta=0.1, optimize_interval=4, burn_in=5, shards=2, chains=4
    )
    expected = {"n_topics": 7, "n_sweeps": 9, "random_state": 3, "alpha": 0.2, "beta": 0.1, "n_shards": 2}
    expected["n_chains"] = 4
    assert options.settings() == expected | {
        "optimize_interval": 4,
        "burn_in": 5,
        "split": "auto",
        "start": "factorised",
    }


@pytest.mark.parametrize("n_chains", [0, 21])
def test_too_few_and_too_many_chains_are_refused(n_chains: int) -> None:
    with pytest.raises(InputError, match="--chains must be a whole number from 1 to 20, not"):
        TopicOptions("5", chains=n_chains).settings()


def test_topics_that_no_sampler_knows_are_refused_before_anything_is_read() -> None:
    with pytest.raises(
        InputError, match="--topics must be a whole number from 1 to 65,535, or auto, not 65536"
    ):
        TopicOptions("65536").settings()
