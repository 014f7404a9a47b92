"""Kinds of text that are not words: what is found, and what each policy does."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from topminer import Corpus, InputError, ToPMine
from topminer.text.kinds import KINDS
from topminer.text.rules import TextRules

MAIL = (
    "From: ann@b.edu (Ann B)\nSubject: Re: space shuttle\nOrganization: NASA Ames\nLines: 12\n\n"
    "In article <1@x.y> bob@c.d (Bob) writes:\n> old words\nI agree\n--\nAnn B\nNASA\n"
)
UUENCODED = "see\nbegin 644 a.gif\nM" + "3$QAX" * 12 + "\n#AB\nend\nthere\n"
BASE64 = "see\n" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJz+\n" * 3 + "there\n"

CASES = [  # kind, text, the words that count, how many of the kind there are
    ("url", "see https://a.org/b?c there", "see there", 1),
    ("url", "see www.a.org there", "see there", 1),
    ("url", "see t.co/x1 there", "see there", 1),
    ("email", "see ann@a.org there", "see there", 1),
    ("handle", "see @ann there", "see there", 1),
    ("hashtag", "see #there", "see there", 1),
    ("retweet", "RT @ann: see there", "see there", 1),
    ("block_tag", "<p>see<br/>there</p>", "see there", 3),
    ("block_tag", "see <!-- not <b> this --> there", "see there", 1),
    ("block_tag", "see <script>if (a) b()</script> there", "see there", 1),
    ("inline_tag", 'see <a href="x">there</a>', "see there", 2),
    ("entity", "see &amp; there&#39;", "see there", 2),
    ("link", "see [there](http://a.org/b)", "see there", 1),
    ("link", "see ![a picture](b.png) there", "see there", 1),
    ("code", "see\n```python\nx = 1\n```\nthere", "see there", 1),
    ("code", "see\n```\nnot closed", "see", 1),
    ("footnote", "see[^1] there", "see there", 1),
    ("number_table", "see 0 1 1 | 1 2 there", "see there", 1),
    ("header", MAIL, "space shuttle I agree", 4),
    ("quote", MAIL, "space shuttle I agree", 2),
    ("signature", MAIL, "space shuttle I agree", 1),
    ("encoded", UUENCODED, "see there", 1),
    ("encoded", BASE64, "see there", 1),
    (
        "encoded",
        "see\n-----BEGIN PGP SIGNATURE-----\nabc\n-----END PGP SIGNATURE-----\nthere",
        "see there",
        1,
    ),
]
CLEAN = [
    "Windows 95 and R&D at AT&T, p < 0.05, 20 newsgroups",
    "precision@k of C# and F#, x <y and z> w, 1 2",
    "We cite [12] (a) and f(x); see Fig. 3, 4 and 5: a -- b",
    "> not a mail\n-- \nno signature",
    "MINISTERS OF FOREIGN AFFAIRS TO MEET",
]


def read(texts: list[str], **how: Any) -> Corpus:
    return Corpus.from_texts(texts, stop_words=[], stem=False, **how)


def surfaces(corpus: Corpus) -> list[str]:
    kept: list[str] = corpus.surfaces["surface"].gather(corpus.surface_ids).to_list()
    return kept


def assert_same(one: Corpus, other: Corpus) -> None:
    for name, array in one._arrays().items():
        np.testing.assert_array_equal(array, other._arrays()[name], name)
    assert one.vocabulary.equals(other.vocabulary)
    assert one.surfaces.equals(other.surfaces)
    assert one.gaps.equals(other.gaps)


@pytest.mark.parametrize(("kind", "text", "words", "n"), CASES)
def test_a_kind_is_found_counted_and_left_out(kind: str, text: str, words: str, n: int) -> None:
    corpus = read([text])
    assert surfaces(corpus) == words.split()
    assert corpus.origin.kinds[kind] == n


@pytest.mark.parametrize("text", CLEAN)
def test_clean_text_has_no_kind(text: str) -> None:
    assert read([text]).origin.kinds == {}
    assert_same(read([text]), read([text], kinds=None))


@pytest.mark.parametrize("kind", ["url", "email", "handle", "inline_tag", "number_table", "retweet"])
def test_policies(kind: str) -> None:
    between = {
        "url": "http://a.org/b",
        "email": "ann@a.org",
        "handle": "@ann",
        "inline_tag": "<b>",
        "number_table": "1 2 3",
        "retweet": "RT @ann",
    }[kind]
    text = [f"see {between} there"]
    dropped, skipped, kept = (read(text, kinds={kind: policy}) for policy in ("drop", "skip", "keep"))
    assert (dropped.n_chunks, skipped.n_chunks, kept.n_chunks) == (2, 1, 1)
    assert surfaces(dropped) == surfaces(skipped) == ["see", "there"]
    assert surfaces(kept) == ["see", between, "there"]
    for corpus in (dropped, skipped, kept):
        assert corpus.origin.kinds == {kind: 1}
    assert [corpus.origin.n_found for corpus in (dropped, skipped, kept)] == [3, 3, 3]


def test_single_numbers() -> None:
    text = ["see 95 there"]
    assert [read(text, kinds={"number": policy}).n_chunks for policy in ("keep", "skip", "drop")] == [1, 1, 2]
    assert surfaces(read(text, kinds={"number": "skip"})) == ["see", "there"]
    assert read(text, numbers=False).rules == read(text, kinds={"number": "drop"}).rules


def test_what_is_skipped_is_not_shown_but_an_entity_is_its_character() -> None:
    assert read(["research &amp; development"]).gaps.to_list() == [" ", " & "]
    assert read(["support <b>vector</b> machines"]).gaps.to_list() == [" "]


def test_own_tokens_have_no_kind() -> None:
    assert surfaces(read([["see", "http://a.org", "@ann"]])) == ["see", "http://a.org", "@ann"]  # type: ignore[list-item]
    assert surfaces(read(["see @ann"], token_pattern=r"\S+")) == ["see", "@ann"]


def test_the_paper_reads_the_text_as_it_stands() -> None:
    assert ToPMine.as_in_paper(2).kinds is None
    assert surfaces(read(["see http://a.org/b @ann"], kinds=None)) == ["see", "http://a.org/b", "ann"]


@pytest.mark.parametrize("kinds", [{"urls": "drop"}, {"url": "leave"}, "all", 3, {"number": "keep"}])
def test_what_is_not_allowed_is_refused(kinds: Any) -> None:
    with pytest.raises(InputError, match="kind"):
        TextRules.choose(kinds=kinds, numbers=False)


def test_new_documents_are_read_alike() -> None:
    corpus = read(["see @ann there"], kinds={"handle": "keep"})
    assert surfaces(corpus.encode(["there @ann http://x.org/y"])) == ["there", "@ann"]


def test_stop_words_are_added() -> None:
    corpus = Corpus.from_texts(["the cat and the dog"], add_stop_words=["Dog"])
    assert corpus.to_lists() == [["cat"]]
    assert Corpus.from_texts(["the cat"], stop_words=["cat"], add_stop_words=["x"]).to_lists() == [["the"]]


PIECES = st.sampled_from(
    [case[1] for case in CASES]
    + CLEAN
    + ["word", " ", "\n", "é", "日本", "\x01", "\x02", "\x03a", "<", "&", "@", "#", "```", "](", "|", "7"]
)
TEXTS = st.lists(st.lists(PIECES, max_size=6).map("".join), min_size=1, max_size=6)
POLICIES = st.dictionaries(
    st.sampled_from([kind.name for kind in KINDS]), st.sampled_from(["drop", "skip", "keep"]), max_size=5
)


@given(TEXTS, POLICIES)
@example(["a \x03a\x02 b"], {})
def test_offsets_cut_the_text_and_everything_is_counted(texts: list[str], kinds: Any) -> None:
    corpus = Corpus.from_texts(["x", *texts], kinds=kinds, stop_words=["word"])
    shown = corpus.surfaces["surface"]
    documents = ["x", *texts]
    for d, (first, last) in enumerate(itertools.pairwise(corpus.doc_start.tolist())):
        end = 0
        for i in range(first, last):
            start, stop = int(corpus.starts[i]), int(corpus.stops[i])
            assert start >= end
            end = stop
            cut = documents[d][start:stop]
            assert cut.translate(dict.fromkeys(range(4), " ")) == shown[int(corpus.surface_ids[i])]
    origin, policies = corpus.origin, corpus.rules.kinds
    assert policies is not None
    left_out = sum(n for kind, n in origin.kinds.items() if policies[kind] != "keep")
    assert origin.n_found == corpus.n_tokens + origin.n_stop_words + left_out


@given(TEXTS, POLICIES)
def test_batches_and_threads_do_not_matter(texts: list[str], kinds: Any) -> None:
    texts = ["x", *texts]
    whole = read(texts, kinds=kinds, n_threads=1)
    assert_same(whole, read(texts, kinds=kinds, n_threads=2, batch_bytes=1))


@given(st.lists(st.text("abc ,.-'()7é日!?;:%", max_size=30), min_size=1).map(lambda texts: ["x", *texts]))
def test_text_without_kinds_is_read_as_it_stands(texts: list[str]) -> None:
    corpus = read(texts)
    if not corpus.origin.kinds:
        assert_same(corpus, read(texts, kinds=None))
