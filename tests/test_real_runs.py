"""Real corpora through the whole method: run, save, load, infer; every phrase cuts its own text."""

from pathlib import Path

import numpy as np
import pytest

from topminer import Corpus, ToPMine, load

pytestmark = pytest.mark.corpus

# Every corpus of less than 5 MB.
LANGUAGE_OF = {
    "abstracts_acl_arc.jsonl.zst": "english",
    "chinese_reviews.jsonl.zst": "chinese",
    "french_abstracts.jsonl.zst": "french",
    "german_speeches.jsonl.zst": "german",
    "japanese_packages.jsonl.zst": "japanese",
    "keyphrases_inspec.jsonl.zst": "english",
    "keyphrases_krapivin.jsonl.zst": "english",
    "news_2017.jsonl.zst": "english",
    "news_bbc.jsonl.zst": "english",
    "news_reuters.jsonl.zst": "english",
    "reviews_amazon.jsonl.zst": "english",
    "russian_packages.jsonl.zst": "russian",
    "spanish_speeches.jsonl.zst": "spanish",
    "titles_20conf.txt.zst": "english",
}


@pytest.mark.parametrize("name", LANGUAGE_OF)
def test_there_and_back(shared_data: Path, tmp_path: Path, name: str) -> None:
    column = "text" if ".jsonl" in name else None
    corpus = Corpus.read(shared_data / name, column, language=LANGUAGE_OF[name])
    model = ToPMine(5, n_sweeps=20, random_state=0).fit(corpus)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.topics() == model.topics()
    assert len(model.topics()) == 5 and all(topic.words for topic in model.topics())

    assert corpus.texts is not None
    new = corpus.texts[:50].to_list()
    shares = loaded.transform(new)
    np.testing.assert_array_equal(shares, model.transform(new))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    spans = loaded.segment(new)
    assert sum(map(len, spans)) == model.partition_[:50].n_cliques
    for text, found in zip(new, spans, strict=True):
        assert all(text[span.start : span.end] == span.text and 0 <= span.topic < 5 for span in found)
        ends = [0, *(span.end for span in found)]
        assert all(span.start >= end for span, end in zip(found, ends, strict=False))
