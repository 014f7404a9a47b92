"""Languages, their stop words and their stemmers."""

import pytest
import Stemmer
import stopwordsiso
from corpora import needs_jit

from topminer import Corpus
from topminer.text.languages import LANGUAGES, language_of, stemmer_of, stop_words_of
from topminer.text.rules import fold

pytestmark = pytest.mark.small

SENTENCES = {
    "german": "Die Bücher der großen Häuser sind schön, und Übungen machen Meisterinnen glücklich.",
    "french": "Les chevaux rapides couraient dans les prairies ensoleillées d'autrefois.",
    "spanish": "Las canciones españolas cantaban rápidamente los niños pequeños.",
    "russian": "Соловьи пели прекрасные песни в зелёных садах ранними вечерами.",
    "italian": "Le ragazze italiane mangiavano velocemente le mele rosse.",
    "turkish": "Kitaplarımızdan bazıları evlerimizde bulunuyor.",
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_by_name_and_by_code(name: str) -> None:
    language = LANGUAGES[name]
    assert language.name == name
    for spelled in (name, language.code, name.title(), language.code.upper(), f" {name} "):
        assert language_of(spelled) == language


def test_names_and_codes_are_unambiguous() -> None:
    names = [spelled for language in LANGUAGES.values() for spelled in (language.name, language.code)]
    assert len(names) == len(set(names))


def test_every_language_of_the_stemmer_and_of_the_stop_words_is_known() -> None:
    stemmers = {language.stemmer for language in LANGUAGES.values()} - {None}
    variants = {"english", "dutch_porter", "lovins", "german2", "kraaij_pohlmann"}  # beside another one
    assert set(Stemmer.algorithms()) - variants <= stemmers
    assert stopwordsiso.langs() <= {language.code for language in LANGUAGES.values()}


@needs_jit
@pytest.mark.parametrize("name", LANGUAGES)
def test_every_language_reads_a_text(name: str) -> None:
    text = SENTENCES.get(name, "Zxqwv 漢字 слово λέξη कखग zxqwvs")
    assert Corpus.from_texts([text], language=name).rules.language == name


@pytest.mark.parametrize("name", LANGUAGES)
def test_stop_words_are_those_of_the_list(name: str) -> None:
    language = LANGUAGES[name]
    known = stopwordsiso.stopwords(language.code) if stopwordsiso.has_lang(language.code) else set()
    words = stop_words_of(language)
    if name == "english":
        assert {"the", "of", "and", "is", "it's", "we"} <= words & known
        assert words - known == {"e.g"}
    else:
        assert words == known


@pytest.mark.parametrize(
    "word", ["information", "system", "web", "new", "states", "text", "ai", "ml", "world"]
)
def test_words_that_english_phrases_are_made_of_are_no_stop_words(word: str) -> None:
    assert word in stopwordsiso.stopwords("en")
    assert word not in stop_words_of(language_of("english"))


def test_the_content_words_are_spelled_as_in_the_list() -> None:
    """An entry that the list does not have would be there for nothing."""
    from topminer.text.languages import _english_content_words

    assert _english_content_words() <= stopwordsiso.stopwords("en")


@pytest.mark.parametrize("name", SENTENCES)
def test_stems_are_those_of_snowball(name: str) -> None:
    text = SENTENCES[name]
    words = text.translate(str.maketrans(",", " ")).rstrip(".").split()
    corpus = Corpus.from_texts([text], language=name, stop_words=[])
    snowball = Stemmer.Stemmer(name)
    assert corpus.to_lists() == [[snowball.stemWord(fold(word)) for word in words]]


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("relational", "relat"),
        ("conditional", "condit"),
        ("generously", "gener"),  # the newer English stemmer says "generous"
        ("skies", "ski"),  # ... and "sky"
        ("dying", "dy"),  # ... and "die"
        ("ponies", "poni"),
        ("caresses", "caress"),
        ("cats", "cat"),
    ],
)
def test_english_is_stemmed_by_porters_first_algorithm(word: str, stem: str) -> None:
    assert Corpus.from_texts([word]).to_lists() == [[stem]]


@pytest.mark.parametrize("name", ["chinese", "japanese", "hebrew", "ukrainian", "korean"])
def test_a_language_without_a_stemmer(name: str) -> None:
    assert stemmer_of(language_of(name)) is None
    assert Corpus.from_texts(["Zxqwvings"], language=name).to_lists() == [["zxqwvings"]]
