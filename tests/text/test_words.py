"""Folding, roles, stems and the vocabulary, against a plain loop over surfaces."""

from collections import Counter

import numpy as np
import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st
from oracles import tokens as oracle
from oracles.texts import STOP_WORDS, WORDS

from topminer import Corpus
from topminer.containers.strings import strings_of
from topminer.text.rules import TextRules, fold
from topminer.text.scan.keep import DROP, DROP_NUMBER, KEEP, SKIP
from topminer.text.words import Lexicon, LexiconBuilder, Roles, folded

pytestmark = pytest.mark.small

PORTER = Stemmer.Stemmer("porter")
ALL_RULES = [
    TextRules.choose("english", stem, STOP_WORDS, policy, numbers, kinds=None)  # type: ignore[arg-type]
    for stem in (True, False)
    for policy in ("skip", "keep", "break")
    for numbers in (True, False)
]

surfaces_with_counts = st.dictionaries(
    st.one_of(
        st.sampled_from(
            [*WORDS, *STOP_WORDS, "CATS", "CAT", "Cat's", "1-2", "http://cats", "cats@running.de"]
        ),
        st.text("aAsS'’.1\u00ade\u0301漢", min_size=1, max_size=6),
    ).filter(lambda surface: [token.surface for token in oracle.scan(surface)] == [surface]),
    st.integers(1, 3),
    max_size=20,
)


def lexicon_of(counts: dict[str, int], rules: TextRules, parts: int = 1) -> Lexicon:
    """Learn surfaces in several parts, as they come in batches."""
    builder, roles, surfaces = LexiconBuilder(rules), Roles(rules), [surface.encode() for surface in counts]
    for part in np.array_split(np.arange(len(surfaces)), parts):
        builder.learn(roles.of(strings_of([surfaces[i] for i in part])))
    return builder.lexicon(strings_of(surfaces), np.array(list(counts.values()), np.int64))


def stem_of(surface: str, rules: TextRules) -> str:
    folded = oracle.fold(surface)
    if not rules.stem or "/" in folded or "@" in folded:
        return folded
    return PORTER.stemWord(oracle.without_possessive(folded)) or folded


def role_of(surface: str, rules: TextRules) -> int:
    if oracle.fold(surface) in rules.stop_words:
        skip = DROP if oracle.class_of(surface[0]) == "alone" else SKIP
        return {"skip": skip, "keep": KEEP, "break": DROP}[rules.stop_word_policy]
    has_letter = any(oracle.class_of(char) in ("letter", "alone") for char in surface)
    return KEEP if rules.numbers or has_letter else DROP_NUMBER


@given(st.sampled_from(ALL_RULES), surfaces_with_counts, st.integers(1, 4))
def test_the_lexicon_is_that_of_a_plain_loop(rules: TextRules, counts: dict[str, int], parts: int) -> None:
    lexicon = lexicon_of(counts, rules, parts)
    roles = [role_of(surface, rules) for surface in counts]
    found = Roles(rules).of(strings_of([surface.encode() for surface in counts]))
    assert found.role.tolist() == roles
    kept = {
        surface: count for (surface, count), role in zip(counts.items(), roles, strict=True) if role == KEEP
    }
    forms: dict[str, Counter[str]] = {}
    for surface, count in kept.items():
        forms.setdefault(stem_of(surface, rules), Counter())[surface] = count
    least = oracle.common_share(Counter(kept))
    vocabulary = [(stem, oracle.shown(each, least), each.total()) for stem, each in forms.items()]
    vocabulary.sort(key=lambda row: (-row[2], row[0]))
    assert lexicon.vocabulary.rows() == vocabulary
    assert lexicon.vocabulary.columns == ["stem", "surface", "count"]
    surfaces = lexicon.make_surfaces()
    assert surfaces.columns == ["surface", "stem", "count"]

    number_of = {stem: number for number, (stem, _, _) in enumerate(vocabulary)}
    rows = {(surface, number_of[stem_of(surface, rules)], count) for surface, count in kept.items()}
    assert set(surfaces.rows()) == rows
    for number, (surface, role) in enumerate(zip(counts, roles, strict=True)):
        if role == KEEP:
            assert lexicon.stem[number] == number_of[stem_of(surface, rules)]
            assert surfaces["surface"][int(lexicon.surface[number])] == surface


# --------------------------------------------------------------------------------------- folding

# Capital sigma looks at its neighbours; combining marks, soft hyphens and apostrophes are folded away.
surface_lists = st.lists(
    st.one_of(
        st.text("aAΣσΟİIéE\u0301\u0308.’＇'\u00ad\u200d-漢", max_size=8),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
    ),
    max_size=20,
)


@given(surface_lists)
def test_folding_all_at_once_is_folding_one_by_one(surfaces: list[str]) -> None:
    words = [word.decode() for word in folded(strings_of([surface.encode() for surface in surfaces]))]
    assert words == [fold(surface) for surface in surfaces] == [oracle.fold(surface) for surface in surfaces]


def test_a_stop_word_that_is_not_text_matches_nothing() -> None:
    """Half a surrogate pair or an empty string in a list of stop words matches no word."""
    roles = Roles(TextRules.choose("english", True, ["\ud800", "", ".", "the", "的"]))
    assert roles.of(strings_of([b"the", "的".encode(), b"cat"])).role.tolist() == [SKIP, DROP, KEEP]


# --------------------------------------------------------------------- words that are counted together


def stems(text: str, **how: object) -> list[str]:
    return Corpus.from_texts([text], stop_words=[], kinds=None, **how).to_lists()[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("possessive", ["dog's", "dogs", "dog’s", "Dog's", "DOG＇S", "do\u00adg's"])
def test_possessives_are_taken_off_before_porter(possessive: str) -> None:
    assert stems(possessive) == ["dog"]


@pytest.mark.parametrize("word", ["s", "S", "'s", "s'"])
def test_a_stem_is_never_empty(word: str) -> None:
    """Porter's algorithm leaves nothing of a lone *s*, which a pattern or a tokeniser may well yield."""
    (stem,) = Corpus.from_texts([[word]], stop_words=[]).to_lists()[0]
    assert stem in ("s", "'s", "s'")


@pytest.mark.parametrize(
    "address",
    [
        *("http://example.org/running/cats", "https://cats", "joe@running.cats", "joe+cats@running.cats"),
        *(f"www.running.org{end}" for end in ("/cats", "?cats", ":cats", "#cats")),
    ],
)
def test_addresses_are_folded_and_not_stemmed(address: str) -> None:
    assert stems(address.upper()) == stems(address) == [address]


@pytest.mark.parametrize("address", ["1://2", "www.1.2/3", "1@2.3", "1+2@3.4"])
def test_an_address_is_no_number(address: str) -> None:
    corpus = Corpus.from_texts([f"x {address} y"], numbers=False, kinds=None, stop_words=[])
    assert corpus.to_lists() == [["x", address, "y"]]


@pytest.mark.parametrize(
    "number", ["1", "3.14", "1,000", "1-2", "٣٫١٤", "½", "²", "Ⅳ", "1\u0301", "1_0", "2\u00ad0", "๓"]
)
def test_numbers(number: str) -> None:
    text = f"a {number} b"
    assert Corpus.from_texts([text], stop_words=[]).n_tokens == 3
    without = Corpus.from_texts([text], stop_words=[], numbers=False)
    assert without.to_lists() == [["a", "b"]]
    assert without.chunk_start.tolist() == [0, 1, 2]
    assert without.origin.n_numbers_dropped == 1


@pytest.mark.parametrize("word", ["x1", "1st", "3D", "1.a", "三", "1e5", "v2.0"])
def test_words_with_digits_are_no_numbers(word: str) -> None:
    assert Corpus.from_texts([f"a {word} b"], stop_words=[], numbers=False).n_tokens == 3
