"""`topminer run`, end to end: what it writes, what it says, what it refuses."""

import errno
import io
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from directories import data_folder, names_in
from runs import QUICK, all_files, model_files, texts, write_corpus
from stored_things import plan_of

from topminer import load
from topminer.cli import main
from topminer.run.checkpoint import Checkpoint
from topminer.store import writer
from topminer.topics.model.phraselda import topics_in
from topminer.topics.model.splitting import USUAL_LENGTH


@pytest.fixture
def run(corpus: Path, tmp_path: Path, topminer):
    """Run `topminer run` on the titles, and return what it printed."""

    def topminer_run(*arguments: object, code: int = 0, source: object = corpus) -> tuple[str, str]:
        output = [] if "--output" in arguments else ["--output", tmp_path / "model"]
        return topminer("run", source, *QUICK, *output, *arguments, code=code)

    return topminer_run


def refused(printed: tuple[str, str]) -> str:
    """The one line that says what was wrong."""
    out, err = printed
    *said, line = err.splitlines()
    assert out == "" and line.startswith("topminer: error: ")
    assert not any("Traceback" in each or "error" in each for each in said)
    return line


def json_in(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


# What is written


def test_a_model_and_what_is_said_about_it(run, corpus: Path, tmp_path: Path) -> None:
    out, err = run()
    assert "support vector machines" in out
    assert "300 documents, 2,033 kept tokens  (" in err and "Sampling will take" in err
    assert f"Model written to {tmp_path / 'model'}" in err
    data = data_folder(tmp_path / "model", "model").name
    assert names_in(tmp_path / "model") == {"model.json", "run.json", data}
    model = load(tmp_path / "model")
    assert (model.n_topics, model.n_sweeps, model.corpus_.origin.name) == (3, 20, str(corpus))
    assert run("--quiet", "--overwrite") == ("", "")


def test_which_sampler_runs_and_how_to_get_the_other(run, tmp_path: Path) -> None:
    _, exact = run()
    assert "The sampler is exact; --shards 2 is approximate" in exact
    _, sharded = run("--shards", 3, "--overwrite")
    assert "The sampler has 3 shards and is approximate; --shards 1 is exact" in sharded


def test_what_differs_from_run_to_run_is_in_run_json_alone(run, corpus: Path, tmp_path: Path) -> None:
    run("--threads", 2)
    facts = json_in(tmp_path / "model" / "run.json")
    assert (facts["source"], facts["threads"], facts["host"]) == (str(corpus), 2, platform.node())
    assert set(facts["seconds"]) == {"read", "phrases", "topics", "writing"}
    assert set(facts["versions"]) == {"python", "topminer", "numpy", "numba", "polars"}
    content = (tmp_path / "model" / "model.json").read_text(encoding="utf-8")
    assert str(tmp_path) not in content
    texts = re.findall(r'"((?:[^"\\]|\\.)*)"', content)
    assert not [text for text in texts if text == platform.node() or Path(text).is_absolute()]


def test_where_bytes_could_not_be_read_is_told_and_no_part_of_the_model(tmp_path: Path, run) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    write_corpus(folder / "a.txt")
    (folder / "b.txt").write_bytes("café\n".encode("latin-1"))
    err = run(source=folder)[1]
    assert "undecodable bytes: 1" in err
    assert "b.txt, line 1, byte 4" in err
    assert b"b.txt" not in (tmp_path / "model" / "model.json").read_bytes()


def test_what_is_skipped_is_counted(tmp_path: Path, run) -> None:
    source = tmp_path / "gaps.txt"
    source.write_text("\n\n".join([*texts(50), "the of"]) + "\n", encoding="utf-8")
    err = run(source=source)[1]
    assert "blank documents: 50" in err
    assert "documents without kept tokens: 1" in err


def test_the_same_bytes_for_any_number_of_threads_but_not_for_another_seed(run, tmp_path: Path) -> None:
    for name, threads, seed in (("one", 1, 0), ("two", 2, 0), ("other", 2, 1)):
        run("--threads", threads, "--shards", 4, "--seed", seed, "--output", tmp_path / name)
    assert model_files(tmp_path / "one") == model_files(tmp_path / "two") != model_files(tmp_path / "other")


def test_without_phrases(run, tmp_path: Path) -> None:
    out, err = run("--no-phrases")
    assert "support vector" not in out and "every word alone" in err
    assert load(tmp_path / "model").miner_ is None


def test_without_texts(run, tmp_path: Path) -> None:
    run("--output", tmp_path / "with")
    run("--no-texts")
    assert any("texts" in name for name in model_files(tmp_path / "with"))
    assert not any("texts" in name for name in model_files(tmp_path / "model"))
    assert load(tmp_path / "model").topics() == load(tmp_path / "with").topics()


def test_words_and_phrases_of_one_s_own(run, tmp_path: Path) -> None:
    own = {"stop-words": "large\nmargin\n", "always": "query processing\n", "never": "data streams\n"}
    for name, lines in own.items():
        (tmp_path / name).write_text(lines, encoding="utf-8")
    run(*(each for name in own for each in (f"--{name}", tmp_path / name)), "--significance", 1)
    model = load(tmp_path / "model")
    assert not {"large", "margin"} & set(model.corpus_.vocabulary["surface"])
    phrases = model.partition_.surfaces()
    assert "data streams" not in phrases and "query processing" in phrases


def test_every_option_reaches_the_model(run, tmp_path: Path) -> None:
    priors = "--alpha 0.3 --beta 0.02 --optimize-interval 0 --burn-in 3 --shards 2 --seed 5"
    phrases = "--min-support 4 --significance 3.5 --max-length 2 --quality -0.5 --evidence 6 --no-ties"
    run(*priors.split(), *phrases.split(), "--language", "german", "--no-stem")
    model = load(tmp_path / "model")
    expected = {"alpha": 0.3, "beta": 0.02, "optimize_interval": 0, "burn_in": 3, "n_shards": 2}
    expected |= {"random_state": 5, "min_support": 4, "significance": 3.5, "max_length": 2}
    expected |= {"quality": -0.5, "evidence": 6, "ties": None}
    assert model.get_params() | expected == model.get_params()
    assert (model.corpus_.rules.language, model.corpus_.rules.stem) == ("german", False)


def test_sweeps_until_the_likelihood_is_flat(run, tmp_path: Path) -> None:
    err = run("--sweeps", "auto")[1]
    model = load(tmp_path / "model")
    assert model.n_sweeps == "auto" and 300 <= model.lda_.n_sweeps_ < 2000
    assert (
        f"3 topics after {model.lda_.n_sweeps_} sweeps" in err and "Sampling will take at most about" in err
    )
    assert model.lda_.frequency_.n_samples == 10


SPEECHES = ["support vector machines and kernel methods. " * 90 + "data streams, query logs. " * 120] * 20


def write_speeches(path: Path, end: str = " ") -> Path:
    """Long documents, as a file of JSON lines; ``end`` stands between halves of a document."""
    texts = (f"{speech}{number}{end}{speech}" for number, speech in enumerate(SPEECHES))
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return path


def test_long_documents_are_sampled_in_pieces_and_a_line_says_so(run, tmp_path: Path) -> None:
    source = write_speeches(tmp_path / "speeches.jsonl")
    err = " ".join(run(source=source)[1].split())
    model = load(tmp_path / "model")
    n_pieces = int(topics_in(model.lda_).doc_pieces.sum())
    length = round(model.corpus_.n_tokens / n_pieces)
    assert f"sampled in {n_pieces:,} pieces of about {length} words; --split none keeps them whole" in err
    assert (model.split, model.lda_.split_) == ("auto", USUAL_LENGTH)
    assert "Long documents" not in run("--split", "none", "--overwrite", source=source)[1]
    assert "Long documents" not in run("--overwrite")[1]  # of titles
    assert "Long documents" not in run("--paper", "--overwrite", source=source)[1]


def test_pieces_of_so_many_words_or_paragraphs(run, tmp_path: Path) -> None:
    source = write_speeches(tmp_path / "speeches.jsonl", "\n\n")
    run("--split", "200", "--no-phrases", source=source)
    assert load(tmp_path / "model").split == 200
    err = " ".join(run("--split", "paragraph", "--no-texts", "--overwrite", source=source)[1].split())
    model = load(tmp_path / "model")
    assert "Long documents are sampled in 40 pieces of about" in err
    assert topics_in(model.lda_).doc_pieces.tolist() == [2] * 20


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--split", "0"], "--split must be a whole number from 1 on, or auto, none or paragraph, not 0"),
        (["--split", "page"], "--split must be a whole number from 1 on, or auto, none or paragraph, not"),
        (["--split", "150", "--paper"], "--paper samples documents as a whole: leave out --split"),
        (["--split", "paragraph", "--engine", "ray"], "--split paragraph needs --engine local"),
    ],
)
def test_a_split_that_cannot_be_is_refused_at_once(
    run, tmp_path: Path, options: list[str], said: str
) -> None:
    assert said in refused(run(*options, code=2))
    assert not (tmp_path / "model").exists()


# Forms of a corpus


def test_the_paper_s_settings_by_one_switch(run, tmp_path: Path) -> None:
    run("--paper")
    model = load(tmp_path / "model")
    assert (model.significance, model.quality, model.evidence, model.ties) == (4.0, None, None, None)
    written_out = ["--significance", "4", "--quality", "none", "--evidence", "none", "--no-ties"]
    written_out += ["--kind", "none", "--split", "none", "--start", "random"]
    run(*written_out, "--output", tmp_path / "written-out")
    assert model_files(tmp_path / "model") == model_files(tmp_path / "written-out")


def test_filters_reach_the_corpus_and_copies_are_counted(run, tmp_path: Path) -> None:
    source, copy = (
        tmp_path / "copies.txt",
        "a long line about nothing but many distinct words that never return",
    )
    source.write_text("\n".join([*texts(), copy, copy]) + "\n", encoding="utf-8")
    err = " ".join(run(source=source)[1].split())
    assert "near-duplicate documents" in err and "--dedupe leaves them out" in err
    n_documents = len(load(tmp_path / "model").corpus_)
    run("--dedupe", "--min-df", "2", "--overwrite", source=source)
    corpus = load(tmp_path / "model").corpus_
    assert len(corpus) == n_documents - corpus.origin.n_duplicates < n_documents
    assert corpus.origin.n_rare_words > 0 and "noth" not in corpus.vocabulary["stem"]


def test_hardly_any_phrases_are_warned_of(run, tmp_path: Path) -> None:
    source = tmp_path / "few.txt"
    source.write_text("one red fish\ntwo blue birds\nthree green trees\n", encoding="utf-8")
    err = " ".join(run(source=source)[1].split())
    assert "Warning: Hardly any phrases (none of several words for 3 topics): 3 documents" in err
    assert "Try more text or a lower --significance." in err
    assert run("--quiet", "--overwrite", source=source) == ("", "")
    assert "Warning" not in run("--no-phrases", "--overwrite", source=source)[1]
    assert "Warning" not in run("--overwrite")[1]


def test_tables_and_folders_give_the_topics_of_lines(run, tmp_path: Path) -> None:
    table = pl.DataFrame({"note": [f"some words {i}" for i in range(300)], "text": texts()})
    table.write_csv(tmp_path / "titles.csv")
    table.select("text").write_ndjson(tmp_path / "titles.jsonl")
    (tmp_path / "folder").mkdir()
    for i, title in enumerate(texts()):
        (tmp_path / "folder" / f"{i:04}.txt").write_text(title, encoding="utf-8")
    run()
    expected = load(tmp_path / "model").topics()
    for name, options in (("titles.csv", ["--text-column", "text"]), ("titles.jsonl", []), ("folder", [])):
        run("--output", tmp_path / f"model of {name}", *options, source=tmp_path / name)
        assert load(tmp_path / f"model of {name}").topics() == expected


def test_standard_input(run, corpus: Path, tmp_path: Path, monkeypatch) -> None:
    run("--output", tmp_path / "file")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(corpus.read_bytes())))
    run(source="-")
    assert model_files(tmp_path / "model") == model_files(tmp_path / "file")
    assert json_in(tmp_path / "model" / "run.json")["source"] == "-"


# What is there already


def test_a_finished_model_is_replaced_only_if_asked(run, tmp_path: Path) -> None:
    run()
    before = all_files(tmp_path / "model")
    assert refused(run(code=2)).endswith("holds a finished model; --overwrite replaces it")
    assert all_files(tmp_path / "model") == before
    run("--seed", 3, "--overwrite")
    assert load(tmp_path / "model").random_state == 3
    assert len(names_in(tmp_path / "model")) == 3


def test_an_unfinished_run_is_not_begun_anew_unasked(run, tmp_path: Path) -> None:
    with Checkpoint.begin(tmp_path / "model", plan_of(), overwrite=False):
        message = refused(run("--overwrite", code=2))
        assert message.endswith(f"another topminer run (process {os.getpid()}) is working here")
    before = all_files(tmp_path)
    assert f"`topminer resume {tmp_path / 'model'}`" in refused(run(code=2))
    assert "gone.txt" in refused(run("--overwrite", code=2, source=tmp_path / "gone.txt"))
    assert all_files(tmp_path) == before
    run("--overwrite")
    assert len(names_in(tmp_path / "model")) == 3


def test_outputs_that_cannot_be_a_model_are_left_alone(run, tmp_path: Path, corpus: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("do not lose me", encoding="utf-8")
    before = all_files(tmp_path)
    for output in (corpus, corpus / "below" / "a file", foreign):
        assert refused(run("--output", output, "--overwrite", code=2))
    assert all_files(tmp_path) == before
    if Path("/proc/self").exists():
        assert "cannot start a run here" in refused(run("--output", "/proc/model", code=2))


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--topics -3", "--topics"),
        ("--topics 65536", "--topics must be a whole number from 1 to 65,535, or auto, not 65536"),
        ("--topics 2034", "2,034 topics are more than the 2,033 kept tokens there are"),
        ("--topics many", "--topics"),
        ("--sweeps 0", "--sweeps"),
        ("--sweeps many", "--sweeps must be a whole number from 1 on, or auto, not 'many'"),
        ("--sweeps -5", "--sweeps must be a whole number from 1 on, or auto, not '-5'"),
        (f"--sweeps 1{'0' * 30}", "--sweeps must be a whole number from 1 on, or auto, not '1000"),
        (f"--sweeps {10**18 + 1}", f"--sweeps must be a whole number from 1 to {10**18:,}, or auto, not"),
        (f"--burn-in {10**18 + 1}", "--burn-in must be a whole number from 0 to 1,000,000"),
        ("--seed -1", "--seed"),
        ("--seed 18446744073709551616", "'--seed': the number is too large"),
        ("--shards 257", "'--shards': Input should be less than or equal to 256"),
        ("--threads 1000000", "'--threads': Input should be less than or equal to 1024"),
        *((f"--alpha {x}", "'--alpha': Input should be greater") for x in ("0", "1e-40")),
        *((f"--alpha {x}", "'--alpha': Input should be less") for x in ("inf", "1e30", "nan")),
        *((f"--beta {x}", "'--beta': Input should be greater") for x in ("-1", "1e-40")),
        *((f"--beta {x}", "'--beta': Input should be less") for x in ("inf", "1e30", "nan")),
        ("--significance nan", "--significance"),
        ("--significance -1", "'--significance': Input should be greater than or equal to 0"),
        ("--min-support -2", "min_support must be"),
        *((f"--checkpoint-every {x}", "--checkpoint-every") for x in ("nan", "-1")),
        ("--language klingon", "klingon"),
        ("--token-pattern (", "token pattern '(' cannot be used"),
        ("--stop-words absent.txt", "absent.txt"),
        ("--text-column nowhere", "nowhere"),
    ],
)
def test_what_cannot_be_meant_leaves_nothing_behind(run, tmp_path: Path, options: str, message: str) -> None:
    before = all_files(tmp_path)
    err = run("--output", tmp_path / "new" / "model", *options.split(), code=2)[1]
    (error,) = (line for line in err.splitlines() if line.startswith("topminer: error: "))
    assert message in error
    assert "Traceback" not in err and "expression" not in err  # of Polars
    assert all_files(tmp_path) == before and not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("given", "missing"), [(["--output", "new"], "--topics"), (["--topics", "3"], "--output")]
)
def test_what_must_be_given(corpus: Path, tmp_path: Path, topminer, monkeypatch, given, missing: str) -> None:
    monkeypatch.chdir(tmp_path)
    err = topminer("run", corpus, *given, code=2)[1]
    assert err.startswith(f"topminer: error: missing option '{missing}'")
    assert names_in(tmp_path) == {corpus.name}


def test_a_corpus_without_words_leaves_nothing_behind(run, tmp_path: Path) -> None:
    source = tmp_path / "stop words.txt"
    source.write_text("the of\nand\n", encoding="utf-8")
    assert "no kept tokens" in refused(run(code=2, source=source))
    assert "no such file" in refused(run(code=2, source=tmp_path / "absent.txt"))
    assert not (tmp_path / "model").exists()
    (tmp_path / "model").mkdir()
    assert refused(run(code=2, source=tmp_path / "absent.txt"))
    assert list((tmp_path / "model").iterdir()) == []  # a folder that was there stays


def test_a_run_that_cannot_start_leaves_the_old_model(run, tmp_path: Path) -> None:
    run()
    before = all_files(tmp_path / "model")
    assert refused(run("--overwrite", code=2, source=tmp_path / "absent.txt"))
    assert refused(run("--overwrite", "--topics", 5000, code=2))
    assert all_files(tmp_path / "model") == before
    assert len(names_in(tmp_path / "model")) == 3


def test_too_little_memory_is_told_with_both_numbers(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("topminer.run.memory.available_bytes", lambda: 12_300)
    message = refused(run(code=2))
    assert " kB, 12.3 kB are free" in message
    assert not (tmp_path / "model").exists()


# Full disks


def test_a_disk_that_is_full_when_the_model_is_written(run, tmp_path: Path, monkeypatch) -> None:
    run()
    before = model_files(tmp_path / "model")
    write = writer.write_array

    def full(path: Path, array) -> str:
        if "topics-" in path.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, array)

    with monkeypatch.context() as patch:
        patch.setattr(writer, "write_array", full)
        message = refused(run("--overwrite", "--seed", 4, code=2))
    assert message.endswith("cannot write the model: No space left on device")
    left = model_files(tmp_path / "model")
    assert {name: content for name, content in left.items() if not name.startswith("checkpoint/")} == before
    assert load(tmp_path / "model").random_state == 0
    assert main(["resume", str(tmp_path / "model"), "--quiet"]) == 0
    assert load(tmp_path / "model").random_state == 4


def test_a_disk_that_is_full_when_the_corpus_is_kept(run, tmp_path: Path, monkeypatch) -> None:
    def full(path: Path, array) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writer, "write_array", full)
    assert refused(run(code=2)).endswith("No space left on device")
    assert not (tmp_path / "model").exists()


def test_a_small_disk(run, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", disk], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("may not mount a small disk")
    try:
        source = write_corpus(tmp_path / "many.txt", 20_000)
        assert "No space left on device" in refused(run("--output", disk / "model", code=2, source=source))
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", disk], check=True)
