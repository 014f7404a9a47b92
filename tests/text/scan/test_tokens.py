"""The scanner against the oracle, and the examples of docs/text.md worked by hand."""

from itertools import pairwise

import numpy as np
import pytest
from corpora import JIT_IS_ON
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import tokens as oracle
from oracles.texts import ATOMS, documents, texts

from topminer.containers.strings import as_words
from topminer.text.scan.classes import classes
from topminer.text.scan.tokens import (
    TOKEN_START,
    TOKEN_STOP,
    Tokens,
    find_tokens,
    token_arrays,
)

pytestmark = pytest.mark.small


def scanned(texts: list[str], marked: bool = False) -> tuple[Tokens, bytes]:
    encoded = [text.encode() for text in texts]
    data = b"".join(encoded)
    text_start = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    arrays = token_arrays(len(data), len(texts))
    return find_tokens(as_words(data), text_start, classes(), arrays, marked), data


def surfaces(tokens: Tokens, data: bytes) -> list[str]:
    return [data[start:stop].decode() for start, stop in zip(tokens.start, tokens.stop, strict=True)]


def shown(text: str) -> str:
    """Tokens with a blank between each two, and ``|`` for the end of a chunk."""
    tokens, data = scanned([text])
    words = surfaces(tokens, data)
    bars = ["| " if opens and i else "" for i, opens in enumerate(tokens.opens)]
    return " ".join(bar + word for bar, word in zip(bars, words, strict=True))


# ------------------------------------------------------------------------ against the oracle


def rows(tokens: Tokens, data: bytes) -> list[list[oracle.Token]]:
    """What was found, as the oracle says it (but for the kind)."""
    places = zip(tokens.char_start.tolist(), surfaces(tokens, data), tokens.opens.tolist(), strict=True)
    found = [oracle.Token(start, start + len(word), word, "", opens) for start, word, opens in places]
    return [found[first:last] for first, last in pairwise(tokens.doc_start)]


def expected(texts: list[str]) -> list[list[oracle.Token]]:
    return [[token._replace(kind="") for token in oracle.scan(text)] for text in texts]


@settings(max_examples=500 if JIT_IS_ON else 10)
@given(documents)
def test_tokens_and_chunks_are_those_of_the_oracle(texts: list[str]) -> None:
    assert rows(*scanned(texts)) == expected(texts)


def test_any_two_pieces_side_by_side() -> None:
    """Each pair of atoms in the middle of a text; all pairs with one first atom lie in one buffer."""
    atoms = ATOMS[:: 1 if JIT_IS_ON else 20]
    for first in atoms:
        texts = [f"a {first}{second}b.c" for second in atoms]
        assert rows(*scanned(texts)) == expected(texts)


@pytest.mark.parametrize("length", [*range(20), 4095, 4096, 4097])
@pytest.mark.parametrize("character", ["a", "1", "漢", "é", ".", " "])
def test_a_run_of_one_character(length: int, character: str) -> None:
    text = character * min(length, 4097 if JIT_IS_ON else 50)
    assert rows(*scanned([text, text])) == expected([text, text])


@pytest.mark.parametrize("text", ["a a " * 20, "a漢" * 20, "漢a" * 20, "a@b.cé" * 9, "x " * 33 + "x"])
def test_as_many_tokens_as_bytes_allow(text: str) -> None:
    assert rows(*scanned([text])) == expected([text])


# ------------------------------------------------------------------------- docs/text.md, by hand


BY_HAND = {
    "the module's own example": ("We don't use U.S. data, e.g. 3.14%.", "We don't use U.S. data | e.g. 3.14"),
    # a character that stands alone, with the marks that follow it
    "each Han character": ("我爱北京。天安门", "我 爱 北 京 | 天 安 门"),
    "Kana": ("これはペンです", "こ れ は ペ ン で す"),
    "decomposed Kana": ("か\u3099く", "か\u3099 く"),
    "Thai with its marks": ("น้ำดื่ม", "น้ ำ ดื่ ม"),
    "Khmer with its marks": ("ខ្មែរ", "ខ្ មែ រ"),
    "Burmese with its marks": ("မြန်မာ", "မြ န် မာ"),
    "Lao with its marks": ("ລາວໃຫຍ່", "ລ າ ວ ໃ ຫ ຍ່"),
    "Bopomofo": ("ㄅㄆ", "ㄅ ㄆ"),
    "Hangul has spaces": ("한국어 문서", "한국어 문서"),
    "Latin beside Han": ("用Python3写", "用 Python3 写"),
    "no link before a Han character": ("a-漢 漢-a", "a | 漢 漢 | a"),
    # a word, and its links
    "letters, digits and marks": ("abc1 2nd nai\u0308ve", "abc1 2nd nai\u0308ve"),
    "apostrophes": ("don't don’t don＇t", "don't don’t don＇t"),
    "hyphens": ("state-of-the-art a\u2010b a\u2011b", "state-of-the-art a\u2010b a\u2011b"),
    "Armenian and Hebrew hyphens": ("ա\u058aբ א\u05beב", "ա\u058aբ א\u05beב"),
    "connectors": ("snake_case a\u203fb", "snake_case a\u203fb"),
    "full stops": ("e.g x.y 3.14 v1.2.3", "e.g x.y 3.14 v1.2.3"),
    "middle dots": ("col·lecció col\u0387lecció", "col·lecció col\u0387lecció"),
    "geresh and gershayim": ("צ\u05f3ק צה\u05f4ל", "צ\u05f3ק צה\u05f4ל"),
    "a comma between digits": ("1,000 1,000,000.5 a,b 1,a a,1", "1,000 1,000,000.5 a | b 1 | a a | 1"),
    "Arabic separators between digits": ("١٬٠٠٠ ٣٫١٤", "١٬٠٠٠ ٣٫١٤"),
    "an Arabic separator between letters": ("a٬b", "a | b"),
    "a soft hyphen": ("co\u00adoperate", "co\u00adoperate"),
    "a run of format characters": ("می\u200c\u200cخواهم", "می\u200c\u200cخواهم"),
    "format characters at the ends": ("\u200eabc\u200f def", "abc def"),
    "two links do not link": ("a--b a..b a'-b a\u00ad-b", "a | b a | b a | b a | b"),
    "a link before a mark does not link": ("a-\u0301b", "a | b"),
    "a link at the end of a word": ("rock'n' roll- x", "rock'n | roll | x"),
    "a link at the start of a word": ("'tis -x _y", "tis | x y"),
    "a link at the end of the text": ("abc- abc.", "abc | abc"),
    "a link after a mark": ("e\u0301-e\u0301", "e\u0301-e\u0301"),
    "a comma after a mark": ("1\u0301,2", "1\u0301 | 2"),
    # a dotted abbreviation
    "U.S. and e.g.": ("the U.S. and e.g. this", "the U.S. and e.g. this"),
    "one at the end": ("in the U.S.", "in the U.S."),
    "only one full stop is taken": ("the U.S.. And", "the U.S. | And"),
    "a single letter is no abbreviation": ("Type A. Then", "Type A | Then"),
    "longer parts are no abbreviation": ("x.yz. No. etc. So", "x.yz | No | etc | So"),
    "digits are no abbreviation": ("1.2. 3", "1.2 | 3"),
    "letters beyond ASCII": ("т.е. это", "т.е. это"),
    "other links are no abbreviation": ("a-b. c", "a-b | c"),
    # a URL
    "a URL": ("see https://example.org/a?b=c#d now", "see https://example.org/a?b=c#d now"),
    "any scheme": ("svn+ssh x-y://z 1://2", "svn ssh x-y://z 1://2"),
    "www": ("www.a.de/x www.a.de:80 www.a.de?q www.a.de#q", "www.a.de/x www.a.de:80 www.a.de?q www.a.de#q"),
    "www in capitals": ("WWW.A.DE/X", "WWW.A.DE/X"),
    "www and nothing behind": ("www.example.org and", "www.example.org and"),
    "no www": ("wwww.a/b ww.a/b www/b", "wwww.a b ww.a b www b"),
    "a URL at a sentence's end": ("(http://a.de/x), so: http://a.de/y.", "http://a.de/x | so | http://a.de/y"),
    "all that is given back": ("http://a.de/.,;:!?'*_~)] x", "http://a.de/ | x"),
    "brackets inside a URL": ("http://a.de/x_(y)z", "http://a.de/x_(y)z"),
    "what stops a URL": ('<x://a> "x://b" `x://c` x://d|x', "x://a | x://b | x://c | x://d | x"),
    "neutral characters that stop a URL": (r"http://a.de\x http://a.de^x", "http://a.de x http://a.de x"),
    "braces that stop a URL": ("{http://a.de}x{", "http://a.de | x"),
    "Unicode that stops a URL": ("x://a—b x://a\u00a0c x://a漢 x://a\u200bd", "x://a | b x://a c x://a 漢 x://a d"),  # noqa: E501
    "Unicode inside a URL": ("http://bücher.de/é€ x", "http://bücher.de/é€ x"),
    "a URL across a line end": ("http://a.de\nb", "http://a.de | b"),
    "nothing behind ://": ("http:// x", "http | x"),
    "nothing remains behind ://": ("http://... x", "http | x"),
    "one character behind ://": ("http://x http:/// y", "http://x http:/// y"),
    "www gives back all that follows": ("www.a.de: x", "www.a.de | x"),
    # an e-mail address
    "an address": ("ask joe@example.org now", "ask joe@example.org now"),
    "an address with a tag": ("joe.doe+tag_1-x@mail.example.org.", "joe.doe+tag_1-x@mail.example.org"),
    "a domain without a full stop": ("joe@localhost x", "joe localhost x"),
    "a domain that ends in full stops": ("joe@example. joe@a.b.- x", "joe example | joe@a.b | x"),
    "a domain that starts with neither letter nor digit": ("joe@-a.b joe@.a", "joe | a.b joe | a"),
    "a plus that is no address": ("c+d C++ x+@y", "c d C x y"),
    "a word beyond ASCII before the @": ("müller@example.de", "müller@example.de"),
    "a domain beyond ASCII ends it": ("a@b.cöd", "a@b.c öd"),
    "two @": ("a@b@c.de", "a b@c.de"),
    # chunks
    "punctuation": ("a. b, c; d: e! f? g", "a | b | c | d | e | f | g"),
    "brackets and quotes": ("a (b) c [d] e \"f\" g 'h' i", "a | b | c | d | e | f | g | h | i"),
    "dashes": ("a — b – c - d", "a | b | c | d"),
    "line ends": ("a\nb\rc\u2028d\u0085e\vf\fg", "a | b | c | d | e | f | g"),
    "white space does not": ("a \t\u00a0\u3000 b\x00c\x1fd", "a b c d"),
    "neutral characters do not": ("research & development 5 % €5 a / b #c", "research development 5 5 a b c"),
    "private and unassigned ones do not": ("a \ue000 b \u0378 c", "a b c"),
    "the tsheg and the Ethiopic word space do not": ("བོད་ཡིག ሰላም፡ዓለም", "བོད ཡིག ሰላም ዓለም"),
    "the shad and the Ethiopic full stop do": ("བོད།ཡིག ሰላም።ዓለም", "བོད | ཡིག ሰላም | ዓለም"),
    "emoji": ("fine 😀 day", "fine | day"),
    "stray marks and formats do not": ("a \u0301 b \u200b c", "a b c"),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    """The scanner and the oracle."""
    text, result = BY_HAND[name]
    assert shown(text) == result
    words = [("| " if token.first and i else "") + token.surface for i, token in enumerate(oracle.scan(text))]
    assert " ".join(words) == result


# ------------------------------------------------------------------------------- marked tokens


MARKS = chr(TOKEN_START), chr(TOKEN_STOP)


def marked(text: str, spans: list[tuple[int, int]]) -> str:
    for start, stop in reversed(spans):
        text = text[:start] + MARKS[0] + text[start:stop] + MARKS[1] + text[stop:]
    return text


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    text = draw(texts | st.text("ab1漢-'.,_ \n", max_size=12)).replace(MARKS[0], " ").replace(MARKS[1], " ")
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return text, list(zip(cuts[::2], cuts[1::2], strict=False))


@given(st.lists(texts_with_spans(), max_size=5))
def test_marked_tokens_are_those_of_the_oracle(documents: list[tuple[str, list[tuple[int, int]]]]) -> None:
    found = rows(*scanned([marked(*document) for document in documents], marked=True))
    model = [[token._replace(kind="") for token in oracle.scan_spans(*document)] for document in documents]
    for tokens, wanted in zip(found, model, strict=True):
        assert [token[:3] for token in tokens] == [token[:3] for token in wanted]
        assert [token.first for token in tokens[1:]] == [token.first for token in wanted[1:]]


@given(st.lists(texts_with_spans(), max_size=5))
@example([("a", [(0, 1)]), ("-b", [(1, 2)])])
def test_the_first_marked_token_of_a_document_opens_a_chunk(
    documents: list[tuple[str, list[tuple[int, int]]]],
) -> None:
    """Guards against one link before it (*-foo*), which must not tie it to the document before."""
    tokens, _ = scanned([marked(*document) for document in documents], marked=True)
    firsts = [first for first, last in pairwise(tokens.doc_start) if first < last]
    assert all(tokens.opens[first] for first in firsts)


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("\1a\2-\1b\2", [True, False]),
        ("\1a\2--\1b\2", [True, True]),
        ("\1a\2 - \1b\2", [True, True]),
        ("\1a\2, \1b\2", [True, True]),
        ("\1a\2,\1b\2", [True, True]),
        ("\1a\2'\1b\2 \1c\2.\1d\2", [True, False, False, False]),
        ("\1a\2 \1-\2 \1b\2", [True, True]),
        ("\1a\2\1-\2\1b\2", [True, False]),
        ("\1a\2\1b\2", [True, False]),
        ("-\1a\2", [True]),
        ("\1\2\1a\2", [True]),
    ],
)
def test_one_link_between_marked_tokens_does_not_end_a_chunk(text: str, opens: list[bool]) -> None:
    tokens, _ = scanned([text], marked=True)
    assert tokens.opens.tolist() == opens
