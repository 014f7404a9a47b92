"""Every corpus of ../shared/data is read, whole or its beginning, and its tokens cut its texts right."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import Stemmer
from oracles import tokens as oracle

from topminer import Corpus
from topminer.text.reading.zstd import zstd

pytestmark = pytest.mark.corpus

ENGLISH = """
abstracts_acl.jsonl abstracts_acl_arc.jsonl abstracts_arxiv_cs.jsonl gold_computing_dictionary.txt
gold_wikipedia.txt gold_wordnet.txt keyphrases_inspec.jsonl keyphrases_krapivin.jsonl news_2017.jsonl
news_bbc.jsonl news_reuters.jsonl reviews_amazon.jsonl reviews_imdb.jsonl titles_20conf.txt titles_arxiv.txt
"""
OTHERS = """
chinese_reviews french_abstracts german_speeches japanese_packages russian_packages spanish_speeches
"""
LANGUAGE_OF = {f"{name}.zst": "english" for name in ENGLISH.split()}
LANGUAGE_OF |= {f"{name}.jsonl.zst": name.partition("_")[0] for name in OTHERS.split()}
LARGE = 4_000_000  # bytes of a compressed file of which only the beginning is read
BEGINNING = 2_000_000  # bytes of text
N_SAMPLED = 30  # documents compared with the oracle


def documents_of(readme: Path) -> dict[str, int]:
    """The column "documents" of the table that describes the data."""
    rows = re.findall(r"^\| (\S+\.zst) \| ([\d,]+) \|", readme.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: int(number.replace(",", "")) for name, number in rows}


def beginning_of(file: Path, folder: Path) -> tuple[Path, int]:
    """The first lines of a file, uncompressed, and how many they are."""
    with zstd.open(file) as stream:
        content = stream.read(BEGINNING)
    content = content[: content.rindex(b"\n") + 1]
    copy = folder / file.stem
    copy.write_bytes(content)
    return copy, content.count(b"\n")


def test_every_corpus_of_the_table_is_tried(shared_data: Path) -> None:
    others = {"gold_acl_terms.tsv.zst"}  # a table of terms and judgements
    assert set(documents_of(shared_data / "README.md")) - others == set(LANGUAGE_OF)


@pytest.mark.parametrize("name", LANGUAGE_OF)
def test_a_corpus_reads(shared_data: Path, tmp_path: Path, name: str) -> None:
    file, n_documents = shared_data / name, documents_of(shared_data / "README.md")[name]
    if file.stat().st_size > LARGE:
        file, n_documents = beginning_of(file, tmp_path)
    corpus = Corpus.read(
        file, text=None if ".txt" in name else "text", language=LANGUAGE_OF[name], kinds=None
    )
    assert len(corpus) + corpus.origin.n_blank_documents == n_documents
    assert corpus.origin.n_undecodable == 0
    assert corpus.vocabulary["count"].sum() == corpus.n_tokens
    assert set(corpus.doc_start.tolist()) <= set(corpus.chunk_start.tolist())
    compare_sample(corpus, LANGUAGE_OF[name])


def compare_sample(corpus: Corpus, language: str) -> None:
    """Some documents against the oracle, token by token."""
    snowball = {"english": "porter"}.get(language, language)
    stem = Stemmer.Stemmer(snowball).stemWord if snowball in Stemmer.algorithms() else str
    prepared = oracle.without_possessive if language == "english" else str
    rules = oracle.Rules(frozenset(corpus.rules.stop_words), stem=lambda word: stem(prepared(word)) or word)
    chosen = np.unique(np.linspace(0, len(corpus) - 1, N_SAMPLED).astype(int))
    some = corpus[chosen]
    assert some.texts is not None
    expected = [oracle.read(text, rules) for text in some.texts]
    flat = oracle.flat(expected)
    surfaces = some.surfaces["surface"].gather(some.surface_ids).to_list()
    assert surfaces == flat.surfaces
    assert some.starts.tolist() == flat.starts
    assert some.doc_start.tolist() == flat.doc_start
    assert some.chunk_start.tolist() == flat.chunk_start
    assert some.vocabulary["stem"].gather(some.stem_ids).to_list() == flat.stems
    for text, (first, last) in zip(some.texts, pairwise(some.doc_start), strict=True):
        starts, stops = some.starts[first:last].tolist(), some.stops[first:last].tolist()
        assert [text[start:stop] for start, stop in zip(starts, stops, strict=True)] == surfaces[first:last]
