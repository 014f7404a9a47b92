"""ToPMine: texts to topics in one go, and to a directory and back."""

import copy
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from directories import manifest, model_bytes, rewrite
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from topminer import (
    Corpus,
    InputError,
    Listing,
    Partition,
    PhraseLDA,
    PhraseMiner,
    Summary,
    ToPMine,
    load,
)
from topminer.topics.results.listing import AS_IN_PAPER
from topminer.topics.sampler.chain import TIMES

FRUIT = ["apple", "pear", "plum", "cherry", "quince", "fresh fruit salad"]
METAL = ["iron", "zinc", "copper", "nickel", "cobalt", "heavy metal alloys", "heavy metal alloy"]
NEW = [
    "Zinc, nickel and a heavy metal alloy.",
    "Plums? Pears! Fresh fruit salads.",
    "",
    "Xylophones",
    "\u202bטקסט apple ו pear\u202c, 苹果 plum 梨。 e\u0301 cherry 👩\u200d🔬🎈 quince\u0301 iron\u00a0zinc",
    "ＨＥＡＶＹ heavy\u00ad metal\ufe0f alloy 🇩🇪 fresh  fruit\tsalad تفاح",
    "heavy metal alloy " * 3,
]


def texts_of(n: int = 90) -> list[str]:
    """Texts about fruit (two in three) and texts about metals, an empty one at the end."""
    rng = np.random.default_rng(3)
    kinds = [METAL if number % 3 == 2 else FRUIT for number in range(n - 1)]
    return [*(", ".join(rng.choice(kind, 12)) + "." for kind in kinds), ""]


TEXTS = texts_of()


def topmine(n_topics: int = 2, **parameters: Any) -> ToPMine:
    return ToPMine(n_topics, **{"n_sweeps": 40, "random_state": 1} | parameters)


@pytest.fixture(scope="module")
def model() -> ToPMine:
    return topmine(n_sweeps=200).fit(TEXTS)


@pytest.fixture(scope="module")
def unsure() -> ToPMine:
    """A model of too many topics after too few sweeps: topical frequencies are no whole numbers."""
    return topmine(6, n_sweeps=30).fit(TEXTS)


@pytest.fixture(scope="module")
def saved(model: ToPMine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("saved") / "model"
    model.save(directory)
    return directory


@pytest.fixture
def directory(saved: Path, tmp_path: Path) -> Path:
    """A copy of the saved model, to be harmed."""
    return Path(shutil.copytree(saved, tmp_path / "model"))


def assert_same(one: ToPMine, other: ToPMine, *, texts: bool = True) -> None:
    """Everything a user can see is equal."""
    assert one.topics(20, 20) == other.topics(20, 20)
    mine, theirs = one.lda_, other.lda_
    for name in ("doc_topic_", "topic_word_", "alpha_", "topic_weight_", "clique_topic_"):
        ours, other_ones = getattr(mine, name), getattr(theirs, name)
        assert (ours.dtype, ours.shape) == (other_ones.dtype, other_ones.shape)
        assert ours.tobytes() == other_ones.tobytes(), name
    for ours, other_ones in zip(mine.frequency_, theirs.frequency_, strict=True):
        assert np.array_equal(ours, other_ones)
    assert (mine.beta_, mine.n_shards_) == (theirs.beta_, theirs.n_shards_)
    assert mine.history_.schema == theirs.history_.schema
    assert mine.history_.drop(TIMES).equals(theirs.history_.drop(TIMES))
    corpus, stored = one.corpus_, other.corpus_
    for name in ("stem_ids", "surface_ids", "gap_ids", "starts", "doc_start", "chunk_start"):
        assert getattr(corpus, name).tobytes() == getattr(stored, name).tobytes()
    for name in ("vocabulary", "surfaces", "gaps", "ids"):
        assert getattr(corpus, name).equals(getattr(stored, name))
    assert corpus.rules == stored.rules
    if texts:
        assert corpus.texts is not None and corpus.texts.equals(stored.texts)
    assert one.partition_.to_lists() == other.partition_.to_lists()
    assert (one.miner_ is None) == (other.miner_ is None)
    if one.miner_ is not None and other.miner_ is not None:
        assert one.miner_.phrases_.equals(other.miner_.phrases_)
        assert one.miner_.min_support_ == other.miner_.min_support_
        assert one.miner_.reached_max_length_ == other.miner_.reached_max_length_
        for text in NEW:
            assert one.explain(text) == other.explain(text)
    assert one.transform(NEW).tobytes() == other.transform(NEW).tobytes()
    assert one.segment(NEW) == other.segment(NEW)
    assert one.score(TEXTS) == other.score(TEXTS)


# ------------------------------------------------------------------------------------------ topics


def test_planted_topics(model: ToPMine) -> None:
    fruit, metal = model.topics()
    assert (fruit.id, metal.id) == (0, 1)
    assert fruit.weight == pytest.approx(2 / 3, abs=0.05)
    assert {word.word for word in fruit.words[:8]} == {*FRUIT[:5], "fresh", "fruit", "salad"}
    assert [phrase.phrase for phrase in fruit.phrases] == ["fresh fruit salad"]
    assert metal.phrases[0].phrase in METAL[-2:]
    assert (model.lda_.doc_topic_[:-1].argmax(axis=1) == np.arange(89) % 3 // 2).all()


def test_words_are_those_of_highest_probability(unsure: ToPMine) -> None:
    corpus, lda = unsure.corpus_, unsure.lda_
    surfaces = corpus.vocabulary["surface"].to_list()
    tokens = np.repeat(lda.clique_topic_, np.diff(unsure.partition_.clique_start))
    as_in_paper = Listing(n_words=7, **AS_IN_PAPER)
    for topic in Summary(unsure).topics(as_in_paper):
        of_words = np.bincount(corpus.stem_ids[tokens == topic.id], minlength=corpus.n_stems) + lda.beta_
        share = of_words / of_words.sum()
        ranked = sorted(range(corpus.n_stems), key=lambda i: (-of_words[i], i))[:7]
        assert [word.word for word in topic.words] == [surfaces[i] for i in ranked]
        assert [word.p for word in topic.words] == pytest.approx(share[ranked])
        assert [word.p for word in topic.words] == lda.topic_word_[topic.id, ranked].tolist()
        assert topic.weight == lda.topic_weight_[topic.id] == pytest.approx((tokens == topic.id).mean())


def test_topical_frequency_is_counted_from_cliques() -> None:
    """Of one sweep there is one sample: that of the topics the model ends with."""
    once = topmine(3, n_sweeps=1).fit(TEXTS)
    partition, surfaces = once.partition_, once.partition_.surfaces()
    assert once.lda_.frequency_.n_samples == 1
    n_stems = once.corpus_.n_stems
    for topic in once.topics(n_phrases=50, all=True):
        types = partition.type_ids[once.lda_.clique_topic_ == topic.id].tolist()
        counts = {surfaces[kind - n_stems]: types.count(kind) for kind in types if kind >= n_stems}
        assert dict(topic.phrases) == counts


@pytest.mark.parametrize("n", [-1, 2.5, "3", 10**30])
def test_numbers_of_words_and_phrases(model: ToPMine, n: Any) -> None:
    assert [(topic.words, topic.phrases) for topic in model.topics(0, 0)] == [((), ())] * 2
    for name in ("n_words", "n_phrases"):
        with pytest.raises(InputError, match=f"{name} must be a whole number from 0 "):
            model.topics(**{name: n})


def test_single_words_are_lda() -> None:
    model = topmine(phrases=False).fit(TEXTS)
    lda = PhraseLDA(2, n_sweeps=40, random_state=1).fit(Partition.of_words(Corpus.from_texts(TEXTS)))
    assert model.miner_ is None
    assert model.lda_.clique_topic_.tobytes() == lda.clique_topic_.tobytes()
    assert model.lda_.topic_word_.tobytes() == lda.topic_word_.tobytes()
    assert all(topic.phrases == () and len(topic.words) == 10 for topic in model.topics())
    assert [span.text for span in model.segment(["Heavy metal!"])[0]] == ["Heavy", "metal"]
    with pytest.raises(InputError, match="single words only"):
        model.explain("Heavy metal")


def test_the_steps_by_hand_and_in_a_pipeline_are_the_same(model: ToPMine) -> None:
    partition = PhraseMiner().fit_transform(Corpus.from_texts(TEXTS))
    lda = PhraseLDA(2, n_sweeps=200, random_state=1).fit(partition)
    assert model.partition_.to_lists() == partition.to_lists()
    assert model.lda_.clique_topic_.tobytes() == lda.clique_topic_.tobytes()
    assert model.lda_.alpha_.tobytes() == lda.alpha_.tobytes()
    pipeline = Pipeline([("topics", topmine(n_sweeps=200))])
    assert pipeline.fit_transform(TEXTS).tobytes() == model.lda_.doc_topic_.tobytes()
    assert pipeline.transform(NEW).tobytes() == model.transform(NEW).tobytes()
    assert pipeline.score(TEXTS) == model.score(TEXTS)


def test_parameters_reach_the_steps() -> None:
    mining = {"min_support": 7, "significance": 2.5, "max_length": 2, "quality": -4.0, "evidence": 3}
    own = {"ties": None, "never": ["fruit salad"], "always": ["apple pear"]}
    sampling = {"beta": 0.2, "alpha": [0.2, 0.3], "optimize_interval": 0, "n_shards": 2, "n_threads": 1}
    text = {"language": "german", "stem": False, "stop_words": ["zinc"], "stop_word_policy": "break"}
    model = topmine(2, **mining, **own, **sampling, **text).fit([*TEXTS, "apple pear"])
    assert model.miner_ is not None
    assert (model.miner_.min_support_, model.miner_.settings[:2]) == (7, (2.5, -4.0))
    assert (model.miner_.evidence, model.miner_.ties, model.miner_.fitted.tied) == (3, None, False)
    found = {phrase for document in model.partition_.to_lists() for phrase in document}
    assert max(map(len, found)) == 2
    assert ("fruit", "salad") not in found
    assert [span.text for span in model.segment(["apple pear"])[0]] == ["apple pear"]
    assert sorted(model.lda_.alpha_) == [0.2, 0.3]
    assert (model.lda_.beta_, model.lda_.n_shards_) == (0.2, 2)
    rules = model.corpus_.rules
    assert (rules.language, rules.stem) == ("german", False)
    assert (rules.stop_words, rules.stop_word_policy) == (("zinc",), "break")
    assert model.miner_.n_threads == model.lda_.n_threads == 1


# ------------------------------------------------------------------------------------------- input


@pytest.mark.parametrize("of", [iter, pl.Series, pd.Series, Corpus.from_texts])
def test_texts_of_several_kinds(of: Callable[[list[str]], Any]) -> None:
    """tests/text/test_documents.py has all kinds."""
    expected = topmine(n_sweeps=3).fit(TEXTS)
    model = topmine(n_sweeps=3).fit(of(TEXTS))
    assert model.lda_.clique_topic_.tobytes() == expected.lda_.clique_topic_.tobytes()
    assert model.transform(of(TEXTS)).tobytes() == expected.transform(TEXTS).tobytes()
    assert model.segment(of(TEXTS)) == expected.segment(TEXTS)
    assert model.score(of(TEXTS)) == expected.score(TEXTS)


def test_empty_documents(model: ToPMine) -> None:
    prior = model.lda_.alpha_ / model.lda_.alpha_.sum()
    assert model.lda_.doc_topic_.shape == (90, 2)
    assert model.lda_.doc_topic_[-1] == pytest.approx(prior)
    assert model.transform([""])[0] == pytest.approx(prior)
    assert model.segment(["", "..."]) == [[], []]
    assert model.transform([]).shape == (0, 2)
    assert model.segment([]) == []


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "no kept tokens in 0 documents"),
        (["", "the of"], "no kept tokens in 2 documents"),
        ("one text", "not one string"),
        ([1, 2], "document 1 is of type int"),
        (pl.DataFrame({"text": TEXTS}), "expected one column of documents, not a table"),
    ],
)
def test_no_texts(texts: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        topmine().fit(texts)


@pytest.mark.parametrize("phrases", [True, False])
def test_spans_are_the_text_as_it_was_written(phrases: bool) -> None:
    """Emoji, combining marks, CJK, text from right to left, characters nobody sees."""
    hostile = [
        *NEW,
        "\ud83d half a surrogate pair, iron",
        "nul \x00 iron \x01 zinc \x02 copper",
        "iron\r\nzinc\u2028copper\u0085nickel",
        "ﬁne quince ǅ İstanbul ẞ iron",
    ]
    model = topmine(phrases=phrases, n_sweeps=5).fit([*TEXTS, *NEW])
    known = set(model.corpus_.vocabulary["stem"])
    found = model.segment(hostile)
    assert len(found) == len(hostile)
    encoded = model.corpus_.encode(hostile).to_lists()
    for text, spans, stems in zip(hostile, found, encoded, strict=True):
        original = text.replace("\ud83d", "\ufffd")
        behind = 0
        for span in spans:
            assert behind <= span.start < span.end <= len(text)
            assert original[span.start : span.end] == span.text
            assert -1 <= span.topic < 2
            behind = span.end
        n_unknown = sum(stem not in known for stem in stems)
        assert n_unknown == sum(span.topic < 0 for span in spans)
    assert sum(len(spans) for spans in found) > 40


# ----------------------------------------------------------------------------------- new documents


def test_new_documents(model: ToPMine) -> None:
    theta = model.transform(NEW)
    assert theta.shape == (len(NEW), 2)
    assert theta.sum(axis=1) == pytest.approx(np.ones(len(NEW)))
    assert (theta > 0).all()
    assert theta.argmax(axis=1)[:2].tolist() == [1, 0]
    assert np.array_equal(theta, np.vstack([model.transform([text]) for text in NEW]))
    prior = model.lda_.alpha_ / model.lda_.alpha_.sum()
    assert theta[2] == pytest.approx(prior)
    assert theta[3] == pytest.approx(prior)  # no word of it is known
    spans = model.segment(NEW)
    assert [span.text for span in spans[0]] == ["Zinc", "nickel", "heavy metal alloy"]
    assert {span.topic for span in spans[0]} == {1}
    assert [(span.text, span.start, span.end, span.topic) for span in spans[3]] == [("Xylophones", 0, 10, -1)]


def test_score(model: ToPMine) -> None:
    test = texts_of(30)
    assert model.score(test) < 0
    assert model.score(test) > topmine(1).fit(TEXTS).score(test)
    with pytest.raises(InputError, match="no words to score"):
        model.score(["xylophone " * 4])


def test_progress_of_all_steps() -> None:
    told: list[str] = []
    model = topmine(n_sweeps=2).fit(TEXTS, progress=lambda stage, *_: told.append(stage))
    assert told[-1] == "Sampling topics"
    assert len(set(told)) >= 3
    told.clear()
    model.transform(NEW, progress=lambda stage, *_: told.append(stage))
    assert told[-1] == "inferring topics"


# ------------------------------------------------------------------------------------ save and load


def test_everything_is_the_same_after_save_and_load(model: ToPMine, saved: Path) -> None:
    loaded = load(saved)
    assert_same(model, loaded)
    assert loaded.lda_.history_.equals(model.lda_.history_)  # times too
    assert loaded.corpus_.origin == model.corpus_.origin
    assert repr(loaded) == repr(model)
    assert loaded.get_params() == model.get_params()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_loaded_model_saves_the_same_bytes(saved: Path, tmp_path: Path, threads: int) -> None:
    loaded = load(str(saved), n_threads=threads)
    assert loaded.miner_ is not None
    assert loaded.n_threads == loaded.lda_.n_threads == loaded.miner_.n_threads == threads
    with pytest.raises(InputError, match="n_threads must be a whole number from 1 to 1,024"):
        load(saved, n_threads=0)
    loaded.save(tmp_path / "again")
    assert model_bytes(tmp_path / "again") == model_bytes(saved)
    assert (tmp_path / "again" / "run.json").read_text() == (saved / "run.json").read_text()


def test_a_clone_of_a_loaded_model_fits_to_the_same(tmp_path: Path) -> None:
    """Also what says how texts are read, which is stored as the corpus's rules."""
    model = topmine(
        n_sweeps=5, language="german", stem=False, stop_words=["pear"], stop_word_policy="break", max_length=3
    ).fit(TEXTS)
    model.save(tmp_path)
    assert_same(clone(load(tmp_path)).fit(TEXTS), model)


@pytest.mark.parametrize(
    "parameters",
    [
        {"phrases": False},
        {"always": ["apple pear", "iron zinc"], "never": ["fruit salad", "fresh fruit"]},
        {"quality": -3.5, "evidence": 3, "ties": None, "significance": 7, "min_support": 0.01},
        {"significance": float("inf")},
        {"alpha": np.array([0.2, 0.4]), "optimize_interval": 0, "n_shards": 2},
        {"alpha": (0.3, 0.1), "min_support": np.int64(20), "significance": np.float32(3.5)},
        {"n_topics": np.int64(2), "n_sweeps": np.int32(7), "beta": np.float32(0.5), "phrases": np.True_},
        {"language": None, "stop_words": []},
    ],
    ids=["words", "own", "quality", "infinity", "shards", "tuple", "numpy", "no language"],
)
def test_models_of_all_kinds_are_the_same_after_save_and_load(
    tmp_path: Path, parameters: dict[str, Any]
) -> None:
    model = ToPMine(**{"n_topics": 2, "n_sweeps": 10, "random_state": 1} | parameters)
    model.fit([*TEXTS, "apple pear", "iron zinc"])
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert_same(model, loaded)
    loaded.save(tmp_path / "again")
    assert model_bytes(tmp_path / "again") == model_bytes(tmp_path / "model")
    if "always" in parameters:
        new = loaded.segment(["apple pear. Fresh fruit salad"])[0]
        assert [span.text for span in new] == ["apple pear", "Fresh", "fruit", "salad"]
        assert loaded.explain("apple pear").phrases[0].always


def test_parameters_that_changed_since_the_fit_are_not_those_of_the_model(tmp_path: Path) -> None:
    model = topmine(n_sweeps=10).fit(TEXTS)
    model.save(tmp_path / "before")
    model.set_params(n_topics=7, significance=50.0, quality=None, phrases=False, n_sweeps=1)
    model.save(tmp_path / "after")
    assert model_bytes(tmp_path / "before") == model_bytes(tmp_path / "after")
    assert_same(load(tmp_path / "after"), load(tmp_path / "before"))


def test_a_corpus_with_names_and_times(tmp_path: Path) -> None:
    rows = [f"{text!r},d{number},2020-01-{number % 28 + 1:02}" for number, text in enumerate(TEXTS[:-1])]
    lines = "\n".join(["text,name,day", *(row.replace("'", '"') for row in rows)])
    (tmp_path / "texts.csv").write_text(lines, encoding="utf-8")
    corpus = Corpus.read(tmp_path / "texts.csv", "text", "name", "day")
    topmine(n_sweeps=3).fit(corpus).save(tmp_path / "model")
    loaded = load(tmp_path / "model").corpus_
    assert loaded.times is not None and corpus.times is not None
    assert loaded.times.equals(corpus.times)
    assert loaded.ids.equals(corpus.ids)
    assert loaded.origin == corpus.origin


def test_some_documents_of_a_corpus(tmp_path: Path) -> None:
    """Words that only the others have keep their numbers."""
    model = topmine(n_sweeps=5).fit(Corpus.from_texts(["zebra", *TEXTS])[1:40])
    assert model.corpus_.n_stems == 1 + len({*" ".join([*FRUIT, *METAL[:-1]]).split()})
    model.save(tmp_path)
    assert_same(model, load(tmp_path))


def test_models_and_corpora_without_texts(model: ToPMine, saved: Path, tmp_path: Path) -> None:
    model.save(tmp_path / "model", keep_texts=False)
    assert model.corpus_.texts is not None  # the model itself keeps them
    assert any("texts" in name for name in model_bytes(saved))
    assert not any("texts" in name for name in model_bytes(tmp_path / "model"))
    corpus = Corpus.from_texts(TEXTS, keep_texts=False)
    textless = topmine(n_sweeps=200).fit(corpus)
    textless.save(tmp_path / "textless")
    for directory in ("model", "textless"):
        loaded = load(tmp_path / directory)
        assert loaded.corpus_.texts is None
        assert_same(model, loaded, texts=False)
    assert textless.transform(corpus).shape == (90, 2)
    with pytest.raises(InputError, match="texts were not kept"):
        textless.segment(corpus)


def test_a_pickled_model(model: ToPMine) -> None:
    """As a search with several processes has it."""
    assert_same(pickle.loads(pickle.dumps(model)), model)


def test_the_same_bytes_whatever_the_threads(tmp_path: Path) -> None:
    for number, n_threads in enumerate((1, 2, 1)):
        model = topmine(3, n_sweeps=30, optimize_interval=10, burn_in=0, n_shards=2, n_threads=n_threads)
        model.fit(TEXTS).save(tmp_path / str(number))
    one, *others = (model_bytes(tmp_path / str(number)) for number in range(3))
    assert one == others[0] == others[1]
    topmine(3, n_sweeps=30, n_shards=2, random_state=2).fit(TEXTS).save(tmp_path / "seed")
    assert model_bytes(tmp_path / "seed") != one


def test_the_same_bytes_wherever_the_texts_lay(tmp_path: Path) -> None:
    """Also with bytes that are no characters, whose place is told."""
    text = "\n".join(TEXTS).encode() + b"iron \xff\xfe zinc\n"
    places = [tmp_path / "one.txt", tmp_path / "elsewhere" / "another.txt"]
    for path in places:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
        topmine(n_sweeps=5).fit(Corpus.read(path)).save(path.with_suffix(""))
    assert model_bytes(places[0].with_suffix("")) == model_bytes(places[1].with_suffix(""))
    for path in places:
        origin = load(path.with_suffix("")).corpus_.origin
        assert origin == Corpus.read(path).origin
        assert path.name in origin.name and path.name in str(origin.first_undecodable)


def test_a_directory_that_holds_a_model(model: ToPMine, unsure: ToPMine, directory: Path) -> None:
    before = model_bytes(directory)
    with pytest.raises(InputError, match="holds a model already"):
        unsure.save(directory)
    assert model_bytes(directory) == before
    assert_same(load(directory), model)
    unsure.save(directory, overwrite=True)
    assert_same(load(directory), unsure)
    with pytest.raises(InputError, match="is a file"):
        model.save(directory / "model.json")


@pytest.mark.parametrize(
    "run",
    [
        None,
        "{",
        "[]",
        "\udcff",
        "[" * 100_000,
        '{"name": 5, "history": "long"}',
        '{"name": null, "first_undecodable": [], "history": {"seconds": [1.0], "tokens_per_second": [2.0]}}',
        '{"history": {"seconds": ["a", "b", "c", "d"], "tokens_per_second": [{}, 1, 2, 3]}}',
        '{"history": {"seconds": [1, 2, 3, 4], "tokens_per_second": [1, 2]}}',
        '{"history": {"hours": [1, 2, 3, 4]}}',
    ],
)
def test_a_run_file_that_is_lost_is_no_loss(model: ToPMine, directory: Path, run: str | None) -> None:
    path = directory / "run.json"
    if run is None:
        path.unlink()
    else:
        path.write_bytes(run.encode(errors="surrogateescape"))
    loaded = load(directory)
    assert loaded.topics() == model.topics()
    assert loaded.lda_.history_.schema == model.lda_.history_.schema
    assert loaded.lda_.history_["seconds"].null_count() == 4
    assert loaded.corpus_.origin.name == "texts"
    loaded.save(directory, overwrite=True)
    assert load(directory).lda_.history_.equals(loaded.lda_.history_)


def change(directory: Path, **changed: Any) -> None:
    rewrite(directory, lambda content: content.update(changed), "model")


def paths_in(content: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Every fact and every file that a manifest names, however deep."""
    for name, value in content.items():
        yield (name,)
        if isinstance(value, dict) and name not in ("columns", "kinds"):
            yield from ((name, *rest) for rest in paths_in(value))


def test_every_fact_and_every_file_is_needed(model: ToPMine, directory: Path) -> None:
    whole = manifest(directory, "model")
    for *above, last in paths_in({name: whole[name] for name in ("facts", "files")}):
        if not above:
            continue
        damaged = copy.deepcopy(whole)
        inner = damaged
        for name in above:
            inner = inner[name]
        del inner[last]
        change(directory, **damaged)
        if last in ("corpus-texts.0000.parquet", "n_rare_words", "n_duplicates", "n_duplicate_tokens"):
            assert load(directory).topics() == model.topics()
            continue
        with pytest.raises(InputError, match="damaged") as raised:
            load(directory)
        assert str(directory) in str(raised.value), last


@pytest.mark.parametrize("stems", [[0, 2**30], [0, -1], [0, 2**70], [0], [0, 0.5], ["a", "b"], 5])
@pytest.mark.parametrize("name", ["always", "never"])
def test_an_own_phrase_of_words_that_do_not_exist(directory: Path, name: str, stems: Any) -> None:
    facts = manifest(directory, "model")["facts"]
    change(directory, facts=facts | {"phrases": facts["phrases"] | {name: [stems]}})
    with pytest.raises(InputError, match=r"damaged|of another corpus"):
        load(directory)


# -------------------------------------------------------------------------------------- scikit-learn


def test_parameters_as_scikit_learn_sets_them(model: ToPMine) -> None:
    copied = clone(new := topmine(3, significance=2.0, stop_words=["x"], always=["a b"]))
    assert copied.get_params() == new.get_params()
    assert copied.set_params(n_topics=4, beta=0.5) is copied
    assert (copied.n_topics, copied.beta) == (4, 0.5)
    with pytest.raises(ValueError, match="ToPMine has no parameter 'topics'"):
        copied.set_params(topics=3)
    assert repr(ToPMine(3, phrases=False)) == "ToPMine(n_topics=3, phrases=False)"
    assert not [name for name in vars(clone(model)) if name.endswith("_")]


def test_a_grid_search_over_texts(tmp_path: Path) -> None:
    search = GridSearchCV(topmine(n_sweeps=15), {"n_topics": np.array([1, 2])}, cv=2).fit(TEXTS[:60])
    assert search.best_params_ == {"n_topics": 2}
    search.best_estimator_.save(tmp_path)  # its n_topics is NumPy's
    assert load(tmp_path).n_topics == 2
    by_corpus = GridSearchCV(topmine(n_sweeps=15), {"n_topics": [1, 2]}, cv=2)
    assert by_corpus.fit(Corpus.from_texts(TEXTS[:60])).best_params_ == {"n_topics": 2}


# --------------------------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_topics": 9_999}, "9,999 topics are more than the .* kept tokens there are"),
        ({"significance": float("nan")}, "significance must be a number from 0 on, not nan"),
        ({"quality": "best"}, "quality must be .* not 'best'"),
        ({"language": "klingon"}, "klingon"),
        ({"stop_word_policy": "eat"}, "stop_word_policy must be one of"),
        ({"always": "fruit salad"}, "always: expected a list"),
        ({"random_state": "lucky"}, "random_state must be"),
        ({"engine": "steam"}, "engine must be one of local, ray, not 'steam'"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    bad = ToPMine(**{"n_topics": 2, "n_sweeps": 1} | parameters)
    with pytest.raises(InputError, match=message):
        bad.fit(TEXTS)
    with pytest.raises(InputError, match="n_topics"):
        topmine(0).fit(1 / 0 for _ in range(1))  # before texts are read


def test_a_fit_that_fails_leaves_no_mixture() -> None:
    """Guards against the topics of one corpus told in the words of another."""
    model = topmine(n_sweeps=3).fit(TEXTS)
    before = model.topics()
    with pytest.raises(InputError, match="more than the"):
        model.set_params(n_topics=50).fit(["only four words here, really four"])
    assert model.topics() == before  # all of the earlier fit


def test_what_is_not_fitted_says_so(tmp_path: Path) -> None:
    model = ToPMine(2)
    for use in (model.transform, model.segment, model.infer, model.score, model.explain):
        with pytest.raises(AttributeError, match="this ToPMine is not fitted yet: call fit first"):
            use(TEXTS)
    with pytest.raises(AttributeError, match="not fitted yet"):
        model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


# --------------------------------------------------------------------------------------- a notebook


def test_a_notebook_shows_parameters_then_topics(model: ToPMine) -> None:
    assert ToPMine(3)._repr_html_() == "<code>ToPMine(n_topics=3)</code>"
    hostile = ToPMine(3, always=["<script>alert(1)</script>"])._repr_html_()
    assert "<script>" not in hostile and "&lt;script&gt;" in hostile
    shown = model._repr_html_()
    assert shown.startswith("<table") and shown.count("<tr>") == 3
    assert "fresh fruit salad" in shown


def test_a_notebook_is_not_told_what_to_do_by_a_text() -> None:
    tokens = [["<img src=x onerror=alert(1)>", "</td>", "&amp;", "$x$", "\u202eevil"]] * 30
    model = topmine(1, n_sweeps=2, language=None, stem=False, stop_words=[]).fit(tokens)
    shown = model._repr_html_()
    assert "&lt;img" in shown and "&lt;/td&gt;" in shown and "&amp;amp;" in shown
    assert "<img" not in shown and "\u202e" not in shown
    assert shown.count("</td>") == 4


def test_a_topic_with_too_much_of_the_text_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topminer.topics.results.verdict.LARGE", 0.0)
    with pytest.warns(UserWarning, match=r"One topic holds \d+% of the kept tokens: .* a lower max_df\."):
        topmine(30, n_sweeps=5).fit(TEXTS)


def test_several_chains_of_the_whole_method(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"n_sweeps": 30, "start": "random"}  # as all chains but the first start
    model = topmine(3, n_chains=3, random_state=2, **settings).fit(TEXTS)
    certainty = model.lda_.certainty_
    assert certainty is not None
    alone = topmine(3, **settings, random_state=certainty.chains["seed"][certainty.model]).fit(TEXTS)
    assert alone.lda_.clique_topic_.tobytes() == model.lda_.clique_topic_.tobytes()
    assert alone.transform(TEXTS[:5]).tobytes() == model.transform(TEXTS[:5]).tobytes()
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.n_chains == 3 and loaded.diagnostics().equals(model.diagnostics())
    assert load(tmp_path / "model", documents=False).lda_.certainty_ is not None
