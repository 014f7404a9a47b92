"""Languages by name or ISO code, their stop words and their stemmers."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from importlib.resources import files
from typing import NamedTuple

from topminer.errors import InputError


class Language(NamedTuple):
    """A language: its name, the code of its stop-word list, and its stemmer (None if there is none)."""

    name: str
    code: str
    stemmer: str | None


def _languages() -> dict[str, Language]:
    stemmed = (
        "arabic:ar armenian:hy basque:eu catalan:ca czech:cs danish:da dutch:nl esperanto:eo "
        "estonian:et finnish:fi french:fr german:de greek:el hindi:hi hungarian:hu indonesian:id "
        "irish:ga italian:it lithuanian:lt nepali:ne norwegian:no persian:fa polish:pl portuguese:pt "
        "romanian:ro russian:ru serbian:sr sesotho:st spanish:es swedish:sv tamil:ta turkish:tr "
        "yiddish:yi "
    )
    unstemmed = (
        "afrikaans:af bengali:bn breton:br bulgarian:bg burmese:my chinese:zh croatian:hr galician:gl "
        "gujarati:gu hausa:ha hebrew:he japanese:ja khmer:km korean:ko kurdish:ku lao:lo latin:la "
        "latvian:lv malay:ms marathi:mr slovak:sk slovenian:sl somali:so swahili:sw tagalog:tl "
        "thai:th ukrainian:uk urdu:ur vietnamese:vi yoruba:yo zulu:zu "
    )
    # The paper stems English with Porter's first algorithm, which Snowball calls "porter".
    table = {"english": Language("english", "en", "porter")}
    for names, is_stemmed in ((stemmed, True), (unstemmed, False)):
        for name, code in (entry.split(":") for entry in names.split()):
            table[name] = Language(name, code, name if is_stemmed else None)
    return table


LANGUAGES = _languages()

_ENGLISH_EXTRA = frozenset({"e.g"})


def _english_content_words() -> frozenset[str]:
    lines = files("topminer.text").joinpath("english_content_words.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def language_of(name: str) -> Language:
    """Return the language with this name ("english") or ISO code ("en")."""
    if not isinstance(name, str):
        raise InputError(f"language must be a name or an ISO code, not {name!r}")
    wanted = name.strip().lower()
    for language in LANGUAGES.values():
        if wanted in (language.name, language.code):
            return language
    close = get_close_matches(wanted, LANGUAGES, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    raise InputError(f"unknown language {name!r}{hint}; known are {', '.join(sorted(LANGUAGES))}")


def stop_words_of(language: Language) -> frozenset[str]:
    """Return the stop words of a language; none if there is no list."""
    import stopwordsiso

    if not stopwordsiso.has_lang(language.code):
        return frozenset()
    words = frozenset(stopwordsiso.stopwords(language.code))
    if language.code == "en":
        words = words - _english_content_words() | _ENGLISH_EXTRA
    return words


def stemmer_of(language: Language) -> Callable[[list[bytes]], list[bytes]] | None:
    """Return a function that stems a list of folded words in UTF-8; None if the language has no stemmer."""
    if language.stemmer is None:
        return None
    import Stemmer

    stem: Callable[[list[bytes]], list[bytes]] = Stemmer.Stemmer(language.stemmer, 0).stemWords
    return stem
