r"""Kinds of text that are not words: addresses, markup, numbers, mail headers. Each has a policy.

A kind is dropped (it is left out and ends a chunk), skipped (left out, and phrases see through it, as through
a stop word) or kept as one token. The scanner finds URLs, e-mail addresses and numbers itself; their kind
follows from the word (:func:`kind_of_word`). All other kinds are found here, by one regular expression that
sets marks around them for the scanner::

    RT @anna: see <b>this</b>   →   ␃eRT @anna:␂ see ␃f<b>␂this␃f</b>␂

``␃`` (U+0003) and a letter for the kind begin what is left out, ``␂`` (U+0002) ends it. What is kept is
marked like a token of the user's own pattern, by U+0001 and U+0002. Only documents with a telling sign are
marked; few have one, and a kernel (scan/signs.py) rules out most others.

Patterns are of Rust's ``regex``: no look-around, and time in proportion to the text. What has a distant end
(a code fence, a comment) also ends at the document's end; otherwise a search could take quadratic time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import starts_of
from topminer.errors import InputError
from topminer.text.scan.signs import NOTHING, SIGN, UNCLEAR, find_signs
from topminer.text.scan.tokens import LEFT_OUT, TOKEN_START, TOKEN_STOP

Policy = Literal["drop", "skip", "keep"]
Policies: TypeAlias = Mapping[str, Policy]
KindsParameter: TypeAlias = (
    Policies | str | None
)  # as users give it: "auto", None, or changes of the defaults
POLICIES: tuple[str, ...] = get_args(Policy)

_START, _STOP, _LEFT_OUT = chr(TOKEN_START), chr(TOKEN_STOP), chr(LEFT_OUT)
_MARKS = f"[\\x00{_START}{_STOP}{_LEFT_OUT}]"

# Without Unicode classes such as \w, the patterns compile in a fifth of the time.
_OTHER_LETTERS = r"\x{C0}-\x{1FFF}\x{2C00}-\x{2FFF}\x{3040}-\x{D7FF}\x{F900}-\x{FDFF}\x{10000}-\x{1EFFF}"
_INLINE = (
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|nobr|q|s|samp|small|span|strike|"
    "strong|sub|sup|time|tt|u|var|wbr"
)
_BLOCK = (
    "address|applet|area|article|aside|audio|base|blockquote|body|br|button|canvas|caption|center|col|colgroup|"
    "dd|details|dir|div|dl|dt|embed|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|"
    "hr|html|iframe|img|input|label|legend|li|link|main|map|menu|meta|nav|noscript|object|ol|optgroup|option|p|"
    "param|picture|pre|script|section|select|source|style|summary|svg|table|tbody|td|template|textarea|tfoot|th|"
    "thead|title|tr|ul|video"
)
_REST_OF_TAG = r"(?:\s[^<>]*=[^<>]*)?\s*/?>"
_HEADERS = (
    r"From|Sender|To|Cc|Bcc|Reply-To|Date|Organi[sz]ation|Lines|Newsgroups|Distribution|Path|Xref|Expires|"
    r"Message-ID|References|In-Reply-To|Followup-To|Article-I\.D\.|Originator|Approved|Supersedes|NNTP-[A-Za-z0-9-]+|"
    r"News-Software|Received|Return-Path|Delivered-To|MIME-Version|Content-[A-Za-z0-9-]+|List-[A-Za-z0-9-]+|X-[A-Za-z0-9-]+"
)
_TITLES = r"(?:Subject|Summary|Keywords):[ \t]*(?:Re:[ \t]*)*"  # headers whose text counts
_HEADER_LINE = rf"(?:{_HEADERS}|Subject|Summary|Keywords):"
_WROTE = r"(?:writes|wrote|says|schrieb|écrit)[ \t]*:?[ \t]*$"
_ATTRIBUTION = (
    rf"^[ \t]*(?:In (?:article|message)(?-u:\b)|In <|On [^\n]*[0-9])[^\n]*(?:\n[^\n]*)?(?-u:\b){_WROTE}"
    rf"|^[^\s>|:][^\s@]*@[^\n]*(?-u:\b){_WROTE}"
)
_MAIL = rf"\A\s*{_HEADER_LINE}[^\n]*\n(?:[ \t][^\n]*\n)*{_HEADER_LINE}|\AFrom: \S+@\S+|{_ATTRIBUTION}"


class Kind(NamedTuple):
    """A kind, its default policy, and how it is found."""

    name: str
    policy: Policy
    what: str
    pattern: str = ""  # empty: the scanner finds it
    before: str = ""  # what must precede the pattern, as there is no look-behind
    in_mails: bool = False  # whether it is looked for only in mails


# In their order: at the same place, the first kind that matches is taken.
KINDS = (
    Kind(
        "header",
        "drop",
        "header lines of a mail; the text of `Subject:` counts",
        rf"^{_TITLES}|^(?:{_HEADERS}):[^\n]*(?:\n[ \t]+\S[^\n]*)*"
        r"|\AFrom: \S+@\S+(?: \([^()\n]*\))?|(?-u:\b)Subject: (?:Re: )*|(?-u:\b)NNTP-Posting-Host: \S+"
        r"|(?-u:\b)Organization: [^\n.]*? Lines: [0-9]+|(?-u:\b)Lines: [0-9]+",
        in_mails=True,
    ),
    Kind(
        "quote",
        "drop",
        "quoted lines of a mail, and the line that says who wrote them",
        rf"{_ATTRIBUTION}|^[ \t]*(?:[>|:]|[A-Za-z]{{1,3}}>)[^\n]*",
        in_mails=True,
    ),
    Kind(
        "signature",
        "drop",
        "from a line `-- ` to the end of the document, at most ten lines",
        r"^-- ?\r?\n(?:[^\n]*\n){0,9}[^\n]*\z",
        in_mails=True,
    ),
    Kind(
        "encoded",
        "drop",
        "uuencode, PGP and base64 blocks; base64 with a `+` or `/`, or in several lines",
        r"^begin [0-7]{3,4} [^\n]*\n(?:[ -`]{1,62}\r?\n)+(?:end(?-u:\b))?"
        r"|^(?:M[ -`]{60}\r?\n){2,}(?:[ -`]{1,62}\r?\nend(?-u:\b))?"
        r"|^(?:[A-Za-z0-9+/]{60,76}\r?\n){2,}(?:[A-Za-z0-9+/]+={1,2}$)?"
        r"|(?:data:[A-Za-z0-9/.+;=-]+,)?[A-Za-z0-9+/]{100,}={0,2}"
        r"|-----BEGIN PGP [A-Z ]+-----(?s:.*?)(?:-----END PGP [A-Z ]+-----|\z)",
    ),
    Kind(
        "code",
        "drop",
        "Markdown: code between lines of ``` or ~~~",
        r"^[ \t]*```[^`\n]*\n(?s:.*?)(?:^[ \t]*```[ \t]*$|\z)"
        r"|^[ \t]*~~~[^~\n]*\n(?s:.*?)(?:^[ \t]*~~~[ \t]*$|\z)",
    ),
    Kind(
        "link",
        "drop",
        "Markdown: the target of a link, whose text counts, and an image",
        r"!\[[^\[\]\n]*\]\([^()\s]*(?:[ \t]+\"[^\"\n]*\")?\)"
        r"|\]\((?:[^()\s]|\([^()\s]*\))+(?:[ \t]+\"[^\"\n]*\")?\)|^\[[^\[\]^\n][^\[\]\n]*\]:[ \t]+\S+",
    ),
    Kind("footnote", "drop", "Markdown: the mark of a footnote, `[^1]`", r"\[\^[^\]\s]+\]:?"),
    Kind(
        "block_tag",
        "drop",
        "HTML: tags such as `<p>` and `<br>`, comments, scripts and styles",
        r"(?s:<!--.*?(?:-->|\z))|(?i:<script(?-u:\b)[^<>]*>(?s:.*?)(?:</script>|\z)|<style(?-u:\b)[^<>]*>(?s:.*?)(?:</style>|\z)"
        rf"|<!doctype[^<>]*>|</?(?:{_BLOCK}){_REST_OF_TAG})",
    ),
    Kind("inline_tag", "skip", "HTML: tags such as `<b>` and `<a>`", rf"(?i:</?(?:{_INLINE}){_REST_OF_TAG})"),
    Kind(
        "entity",
        "skip",
        "HTML: `&amp;`, `&#39;`",
        r"&(?:[A-Za-z]{2,8}[0-9]{0,2}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    ),
    Kind(
        "retweet",
        "drop",
        "`RT` and the handle after it",
        r"RT[ \t]+@[A-Za-z0-9_]{1,30}:?",
        before=r"^|[^A-Za-z0-9_@&]",
    ),
    Kind("handle", "drop", "`@name`", r"@[A-Za-z_][A-Za-z0-9_]{1,29}", before=r"^|[^A-Za-z0-9_@.+/&-]"),
    Kind(
        "hashtag",
        "keep",
        "`#word`: the word counts, the `#` does not",
        rf"#[A-Za-z_{_OTHER_LETTERS}][A-Za-z0-9_{_OTHER_LETTERS}]*",
        before=r"^|[^A-Za-z0-9_#&/]",
    ),
    Kind(
        "url",
        "drop",
        "URLs, also without `http://`",
        r"(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:com|org|net|edu|gov|int|info|co|io|ly|gl|me|be|tv|fm|uk|de|fr|eu)/[^\s<>\"{}|\\^`()\[\]]*",
        before=r"^|[^A-Za-z0-9_./:@&-]",
    ),
    Kind("email", "drop", "e-mail addresses"),
    Kind(
        "number_table",
        "drop",
        "three or more numbers in a row",
        r"[-+]?[0-9][0-9.,:/%]*(?:(?:[ \t]*\|[ \t]*|[ \t]+)[-+]?[0-9][0-9.,:/%]*){2,}",
        before=r"^|[\s|]",
    ),
    Kind("number", "keep", "single numbers"),
)
CODES = {kind.name: chr(ord("a") + i) for i, kind in enumerate(KINDS)}  # the letters after U+0003
_ADDRESS = re.compile(rb"[#/:?@]|\Awww\.[^.]+\.")


def resolve(kinds: KindsParameter, *, numbers: bool = True) -> dict[str, Policy] | None:
    """Return the policy of each kind, or None if no kind is to be recognised.

    >>> resolve({"url": "keep"})["url"], resolve(None)
    ('keep', None)
    """
    if kinds is None:
        return None
    if isinstance(kinds, str):
        if kinds != "auto":
            raise InputError(
                f'kinds must be "auto", None, or a mapping from kinds to policies, not {kinds!r}'
            )
        kinds = {}
    if not isinstance(kinds, Mapping):
        raise InputError(f'kinds must be "auto", None, or a mapping from kinds to policies, not {kinds!r}')
    policies: dict[str, Policy] = {kind.name: kind.policy for kind in KINDS}
    for name, policy in kinds.items():
        if name not in policies:
            raise InputError(f"there is no kind {name!r}; the kinds are {', '.join(policies)}")
        if policy not in POLICIES:
            raise InputError(
                f"the policy of the kind {name} must be one of {', '.join(POLICIES)}, not {policy!r}"
            )
        policies[name] = policy
    if not numbers:
        if kinds.get("number", "drop") != "drop":
            raise InputError(f"numbers are to be left out, and kinds says {policies['number']} for them")
        policies["number"] = "drop"
    return policies


def kind_of_word(word: bytes) -> str | None:
    """Return the kind of a folded word that the scanner found: "url", "email" or None.

    >>> kind_of_word(b"www.example.org"), kind_of_word(b"ann@example.org"), kind_of_word(b"e.g")
    ('url', 'email', None)
    """
    if not _ADDRESS.search(word) or b" " in word or not word[:1].isalnum():
        return None
    return "url" if b"://" in word or word.startswith(b"www.") else "email" if b"@" in word else None


class _Patterns(NamedTuple):
    mark: str
    marks: str  # what replaces a match: the marks of all kinds, of which all but one are empty
    unmark: str  # the empty ones


def _named(kind: Kind) -> str:
    before = f"(?P<before_{kind.name}>{kind.before})" if kind.before else ""
    return f"{before}(?P<{kind.name}>{kind.pattern})"


def _patterns(mails: bool) -> _Patterns:
    kinds = [kind for kind in KINDS if kind.pattern and (mails or not kind.in_mails)]
    marks = (
        (f"${{before_{kind.name}}}" if kind.before else "")
        + f"{_LEFT_OUT}{CODES[kind.name]}${{{kind.name}}}{_STOP}"
        for kind in kinds
    )
    return _Patterns("(?m)" + "|".join(map(_named, kinds)), "".join(marks), f"{_LEFT_OUT}[a-z]{_STOP}")


_IN_MAILS, _ELSEWHERE = _patterns(True), _patterns(False)
# A document with a sign (find_signs) may have kinds; one in which that is unclear, only if it has this.
_UNCLEAR = r"[0-9][.,:/%]*[ \t|]+[-+]?[0-9][0-9.,:/%]*[ \t|]+[-+]?[0-9]" rf"|\A\s*{_HEADER_LINE}"
# Then one that is closer. It need not be exact, only quick: ASCII, and few states.
_TELLING = (
    rf"[{_START}{_STOP}{_LEFT_OUT}]|@[A-Za-z_]|#[A-Za-z\x{{80}}-\x{{10FFFF}}]|</?[A-Za-z!]|&(?:#|[A-Za-z]{{2,8}}[0-9]*;)"
    r"|\]\(|\]:[ \t]|\[\^|```|~~~|[0-9][.,:/%]*[ \t]*[ \t|][ \t]*[-+]?[0-9]|[A-Za-z0-9+/]{60}|-----BEGIN PGP "
    rf"|begin [0-7]{{3}}|\nM[ -`]{{60}}|\A\s*{_HEADER_LINE}"
    r"|(?:writes|wrote|says|schrieb|écrit)[ \t]*:?[ \t]*(?:\n|\z)"
    r"|\.(?:com|org|net|edu|gov|int|info|co|io|ly|gl|me|be|tv|fm|uk|de|fr|eu)/"
)


def mark_kinds(
    data: bytes, text_start: NDArray[np.int64], policies: Policies
) -> tuple[bytes, NDArray[np.int64]] | None:
    """Set marks around all kinds in texts; other characters equal to marks become blanks. None: no kinds.

    Text d is the bytes ``text_start[d]`` to ``text_start[d + 1]``, and so is what is returned.
    """
    numbers = _telling(data, text_start)
    if not numbers.size:
        return None
    texts = _texts(data, text_start, numbers).str.replace_all(_MARKS, " ")
    is_mail = texts.str.contains(f"(?m){_MAIL}").to_numpy()
    marked: dict[int, str] = {}
    for patterns, chosen in (_IN_MAILS, is_mail), (_ELSEWHERE, ~is_mail):
        if chosen.any():
            found = _kept(_marked(texts.filter(pl.Series(chosen)), patterns), policies)
            marked.update(zip(numbers[chosen].tolist(), found.to_list(), strict=True))
    return _replaced(data, text_start, marked)


def _telling(data: bytes, text_start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of the texts with a telling sign."""
    found = np.empty(text_start.size - 1, np.uint8)
    find_signs(np.frombuffer(data, np.uint8), text_start, found)
    unclear = np.flatnonzero(found == UNCLEAR)
    if unclear.size:
        found[unclear] = np.where(_texts(data, text_start, unclear).str.contains(_UNCLEAR), SIGN, NOTHING)
    numbers = np.flatnonzero(found == SIGN)
    if not numbers.size:
        return numbers
    is_telling: NDArray[np.bool_] = _texts(data, text_start, numbers).str.contains(_TELLING).to_numpy()
    return numbers[is_telling]


def _texts(data: bytes, text_start: NDArray[np.int64], numbers: NDArray[np.int64]) -> pl.Series:
    spans = zip(text_start[numbers].tolist(), text_start[numbers + 1].tolist(), strict=True)
    return pl.Series([data[start:stop].decode() for start, stop in spans], dtype=pl.String)


def _replaced(
    data: bytes, text_start: NDArray[np.int64], texts: dict[int, str]
) -> tuple[bytes, NDArray[np.int64]]:
    """Put some texts in the place of those with the same numbers."""
    lengths, done = np.diff(text_start), 0
    parts: list[bytes | memoryview] = []
    for number in sorted(texts):
        text = texts[number].encode()
        parts += [memoryview(data)[done : text_start[number]], text]
        done, lengths[number] = int(text_start[number + 1]), len(text)
    return b"".join([*parts, memoryview(data)[done:]]), starts_of(lengths)


def _marked(texts: pl.Series, patterns: _Patterns) -> pl.Series:
    return texts.str.replace_all(patterns.mark, patterns.marks).str.replace_all(patterns.unmark, "")


def _kept(texts: pl.Series, policies: Policies) -> pl.Series:
    """Turn the marks of kept kinds into those of a token. An empty mark before it counts what was found."""
    for kind in KINDS:
        if kind.pattern and policies[kind.name] == "keep":
            mark = f"{_LEFT_OUT}{CODES[kind.name]}"
            if kind.name == "hashtag":  # only the word is a token, and the scanner finds it
                texts = texts.str.replace_all(f"{mark}#([^{_STOP}]*){_STOP}", f"{mark}#{_STOP}${{1}}")
            else:
                kept = f"{mark}{_STOP}{_START}${{1}}{_STOP}"
                texts = texts.str.replace_all(f"{mark}([^{_STOP}]*){_STOP}", kept)
    return texts
