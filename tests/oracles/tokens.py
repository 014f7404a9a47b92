"""docs/text.md, word by word, in plain Python: slow, obvious, and sharing no code with ``src``.

``scan`` finds the tokens of one text, ``keep`` folds, stems and takes out, ``corpus_of`` does both for
several texts. Everything is counted in code points.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import NamedTuple

LINE_ENDS = "\n\v\f\r\u0085\u2028\u2029"
MIDDLE_DOTS = "\u00b7\u0387"  # canonically one character
NEUTRAL = "&@#%‰/\\*+=^~°§" + MIDDLE_DOTS + "\u0f0b\u0f0c\u1361"
SCRIPTS_WITHOUT_SPACES = (
    "CJK UNIFIED IDEOGRAPH",
    "CJK COMPATIBILITY IDEOGRAPH",
    "IDEOGRAPHIC",
    "VERTICAL IDEOGRAPHIC",
    "OLD CHINESE",
    "CHINESE",
    "HIRAGANA",
    "HENTAIGANA",
    "KATAKANA",
    "HALFWIDTH KATAKANA",
    "VERTICAL KANA",
    "MASU MARK",
    "BOPOMOFO",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
)

APOSTROPHES = "'’＇"
HYPHENS = "-\u2010\u2011\u058a\u05be"
GERESH = "\u05f3\u05f4"
COMMAS = ",\u066b\u066c"
LINKS = APOSTROPHES + HYPHENS + "." + MIDDLE_DOTS + GERESH

URL_STARTS_AFTER_WWW = "/:?#"
URL_STOPS = '<>"{}|\\^`'
URL_GIVES_BACK = ".,;:!?'*_~)]"

ASCII_ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
ADDRESS = ASCII_ALNUM + ".+_-"
DOMAIN = ASCII_ALNUM + ".-"


@cache
def class_of(char: str) -> str:
    """The class of one character, the first table of the page."""
    category = unicodedata.category(char)
    if char in LINE_ENDS:
        return "line end"
    if char in NEUTRAL or category in ("Sc", "Pc", "Co", "Cn"):
        return "neutral"
    if category.startswith("L"):
        return "alone" if unicodedata.name(char, "").startswith(SCRIPTS_WITHOUT_SPACES) else "letter"
    if category.startswith("N"):
        return "digit"
    if category.startswith("M"):
        return "mark"
    if category == "Cf":
        return "format"
    if category.startswith("Z") or category == "Cc":
        return "blank"
    assert category[0] in "PS", f"U+{ord(char):04X} is {category}"
    return "ending"


class Token(NamedTuple):
    """A word as it stands in the text; ``first`` says that a chunk ended between it and the token before."""

    start: int
    stop: int
    surface: str
    kind: str  # "word", "number", "alone", "url" or "address"
    first: bool


def scan(text: str) -> list[Token]:
    """Find all tokens of a text."""
    tokens: list[Token] = []
    ended = True
    at = 0
    while at < len(text):
        kind = class_of(text[at])
        if kind in ("letter", "digit", "alone"):
            stop, kind = _token_at(text, at)
            tokens.append(Token(at, stop, text[at:stop], kind, ended))
            ended = False
            at = stop
        else:
            ended = ended or kind in ("line end", "ending")
            at += 1
    return tokens


def _token_at(text: str, start: int) -> tuple[int, str]:
    if class_of(text[start]) == "alone":
        stop = start + 1
        while stop < len(text) and class_of(text[stop]) == "mark":
            stop += 1
        return stop, "alone"
    stop = _word_end(text, start)
    if _is_dotted(text[start:stop]) and text[stop : stop + 1] == ".":
        stop += 1
    word = text[start:stop]
    url = _url_end(text, word, stop)
    if url is not None:
        return url, "url"
    address = _address_end(text, stop)
    if address is not None:
        return address, "address"
    return stop, _word_or_number(word)


def _word_or_number(word: str) -> str:
    return "word" if any(class_of(char) in ("letter", "alone") for char in word) else "number"


def _word_end(text: str, start: int) -> int:
    stop = start + 1
    while True:
        while stop < len(text) and class_of(text[stop]) in ("letter", "digit", "mark"):
            stop += 1
        behind = _link_end(text, stop)
        if behind is None or behind >= len(text) or class_of(text[behind]) not in ("letter", "digit"):
            return stop
        stop = behind


def _link_end(text: str, at: int) -> int | None:
    """Where the single link that stands at ``at`` ends; None if there is none."""
    if at >= len(text):
        return None
    char = text[at]
    if class_of(char) == "format":
        while at < len(text) and class_of(text[at]) == "format":
            at += 1
        return at
    if char in COMMAS:
        between = class_of(text[at - 1]) == "digit" and class_of(text[at + 1 : at + 2] or " ") == "digit"
        return at + 1 if between else None
    return at + 1 if _is_link(char) else None


def _is_link(char: str) -> bool:
    return char in LINKS or unicodedata.category(char) == "Pc"


def _is_dotted(word: str) -> bool:
    letters = word.split(".")
    return len(letters) >= 2 and all(len(part) == 1 and class_of(part) == "letter" for part in letters)


def _url_end(text: str, word: str, stop: int) -> int | None:
    scheme = text.startswith("://", stop)
    www = word[:4].lower() == "www." and text[stop : stop + 1] in tuple(URL_STARTS_AFTER_WWW)
    if not scheme and not www:
        return None
    end = stop
    while end < len(text) and not _stops_url(text[end]):
        end += 1
    while end > stop and text[end - 1] in URL_GIVES_BACK:
        end -= 1
    if scheme and end <= stop + len("://"):
        return None
    return end


def _stops_url(char: str) -> bool:
    kind = class_of(char)
    white = kind in ("blank", "line end")
    return (
        white or kind in ("format", "alone") or (kind == "ending" and not char.isascii()) or char in URL_STOPS
    )


def _address_end(text: str, stop: int) -> int | None:
    if text[stop : stop + 1] not in ("@", "+"):
        return None
    at = stop
    while at < len(text) and text[at] in ADDRESS:
        at += 1
    if text[at : at + 1] != "@":
        return None
    end = domain = at + 1
    while end < len(text) and text[end] in DOMAIN:
        end += 1
    while end > domain and text[end - 1] in ".-":
        end -= 1
    if text[domain:end][:1] not in tuple(ASCII_ALNUM) or "." not in text[domain:end]:
        return None
    return end


def scan_spans(text: str, spans: Iterable[tuple[int, int]]) -> list[Token]:
    """Tokens that somebody else found: a span without a letter or digit is none, and one link right between
    two tokens does not end a chunk.
    """
    tokens: list[Token] = []
    for start, stop in spans:
        surface = text[start:stop]
        kinds = [class_of(char) for char in surface]
        if not {"letter", "digit", "alone"} & set(kinds):
            continue
        between = text[tokens[-1].stop : start] if tokens else "\n"
        ends = any(class_of(char) in ("line end", "ending") for char in between)
        first = ends and not (len(between) == 1 and _is_link(between))
        kind = "alone" if kinds[0] == "alone" else _word_or_number(surface)
        tokens.append(Token(start, stop, surface, kind, first))
    return tokens


def spans_of(tokens: Iterable[str]) -> list[tuple[int, int]]:
    """Where the tokens of a list stand in the text that has a blank between each two."""
    spans, at = [], 0
    for token in tokens:
        spans.append((at, at + len(token)))
        at += len(token) + 1
    return spans


def fold(surface: str) -> str:
    """The form in which words are compared with stop words."""
    folded = unicodedata.normalize("NFC", surface).lower()
    folded = folded.replace("’", "'").replace("＇", "'")
    folded = "".join(char for char in folded if class_of(char) != "format")
    return folded.removesuffix(".")


def without_possessive(folded: str) -> str:
    """What Porter's algorithm is given."""
    return folded.removesuffix("'s") if folded.endswith("'s") else folded.removesuffix("'")


class Kept(NamedTuple):
    """A kept token; ``gap`` is what stands between it and the one before in its chunk."""

    start: int
    stop: int
    surface: str
    stem: str
    first: bool
    gap: str | None


@dataclass(frozen=True)
class Rules:
    """What the user may choose: stop words in folded form, and a function from folded words to stems."""

    stop_words: Collection[str] = ()
    policy: str = "skip"
    numbers: bool = True
    stem: Callable[[str], str] = str


class Document(NamedTuple):
    """Kept tokens of a text, and how many tokens were taken out for what reason."""

    kept: list[Kept]
    n_stop_words: int
    n_numbers: int


def keep(text: str, tokens: Iterable[Token], rules: Rules) -> Document:
    """Take out stop words and numbers, and stem the rest."""
    kept: list[Kept] = []
    n_stop_words = n_numbers = 0
    ended = True
    for token in tokens:
        ended = ended or token.first
        folded = fold(token.surface)
        if token.kind == "number" and not rules.numbers:
            ended = True
            n_numbers += 1
        elif rules.policy != "keep" and folded in rules.stop_words:
            ended = ended or rules.policy == "break" or token.kind == "alone"
            n_stop_words += 1
        else:
            stem = folded if token.kind in ("url", "address") else rules.stem(folded)
            gap = None if ended else collapsed(text[kept[-1].stop : token.start])
            kept.append(Kept(token.start, token.stop, token.surface, stem, ended, gap))
            ended = False
    return Document(kept, n_stop_words, n_numbers)


def collapsed(text: str) -> str:
    """White space, in runs however long, as one blank."""
    runs = groupby(text, lambda char: class_of(char) in ("blank", "line end"))
    return "".join(" " if is_white else "".join(run) for is_white, run in runs)


def read(text: str, rules: Rules) -> Document:
    """The page from its first line to its last."""
    return keep(text, scan(text), rules)


class Flat(NamedTuple):
    """Several documents, one behind the other, as a Corpus has them."""

    starts: list[int]
    stops: list[int]
    surfaces: list[str]
    stems: list[str]
    gaps: list[str | None]
    doc_start: list[int]
    chunk_start: list[int]


def flat(documents: Sequence[Document]) -> Flat:
    """Put documents one behind the other."""
    tokens = [token for document in documents for token in document.kept]
    doc_start = [0]
    for document in documents:
        doc_start.append(doc_start[-1] + len(document.kept))
    return Flat(
        [token.start for token in tokens],
        [token.stop for token in tokens],
        [token.surface for token in tokens],
        [token.stem for token in tokens],
        [token.gap for token in tokens],
        doc_start,
        [i for i, token in enumerate(tokens) if token.first] + [len(tokens)],
    )


def vocabulary_of(documents: Sequence[Document]) -> list[tuple[str, str, int]]:
    """Stem, surface to be shown, count: the most frequent first, equally frequent ones by code points."""
    forms: dict[str, Counter[str]] = {}
    for document in documents:
        for token in document.kept:
            forms.setdefault(token.stem, Counter())[token.surface] += 1
    least = common_share(sum(forms.values(), Counter()))
    rows = [(stem, shown(surfaces, least), surfaces.total()) for stem, surfaces in forms.items()]
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def capitals(text: str) -> int:
    """How many capitals a text has."""
    return sum(unicodedata.category(char) in ("Lu", "Lt") for char in text)


def _spelled(forms: Counter[str]) -> dict[str, Counter[str]]:
    """Forms by spelling, regardless of case."""
    spelled: dict[str, Counter[str]] = {}
    for form, n in forms.items():
        spelled.setdefault(form.lower(), Counter())[form] += n
    return spelled


def common_share(surfaces: Counter[str]) -> float:
    """0.4 of the share in lower case that the median word has, of words that are seen in lower case."""
    shares = []
    for variants in _spelled(surfaces).values():
        lower = sum(n for form, n in variants.items() if not capitals(form))
        if lower:
            shares += [lower / variants.total()] * variants.total()
    return sorted(shares)[(len(shares) - 1) // 2] * 0.4 if shares else 1.0


def shown(forms: Counter[str], least: float) -> str:
    """The form with the fewest capitals among the common ones of the most frequent spelling."""
    spelled = _spelled(forms).values()
    best = max(variants.total() for variants in spelled)
    common = [
        form
        for variants in spelled
        if variants.total() == best
        for form, n in variants.items()
        if n >= least * best or n == max(variants.values())
    ]
    return min(common, key=lambda form: (capitals(form), -forms[form], form))
