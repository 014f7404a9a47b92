"""Which language a corpus is in, by its stop words."""

import pytest

from topminer import Corpus
from topminer.text.language_guess import other_language

TEXTS = {
    "english": "The cat and the dog were in the house, and they did not know what to do with it.",
    "german": "Der Hund und die Katze waren in dem Haus, und sie wussten nicht, was sie damit tun sollten.",
    "french": "Le chat et le chien étaient dans la maison, et ils ne savaient pas ce qu'il fallait en faire.",
    "spanish": "El perro y el gato estaban en la casa, y no sabían qué hacer con ella, ni por qué.",
    "russian": "Собака и кошка были в доме, и они не знали, что с ним делать и как быть.",
    "chinese": "狗和猫在房子里，它们不知道怎么办，因为这是它们的家，也是我们的家。",
}


def guess(text: str, **reading: object) -> str | None:
    corpus = Corpus.from_texts([text] * 3, **reading)
    return other_language(corpus.vocabulary, corpus.rules, corpus.origin)


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_in_its_own_language_looks_like_no_other(language: str) -> None:
    assert guess(TEXTS[language], language=language) is None


@pytest.mark.parametrize("language", [name for name in TEXTS if name != "english"])
def test_a_text_read_as_english_is_recognised(language: str) -> None:
    assert guess(TEXTS[language]) == language


def test_english_read_as_german_is_recognised() -> None:
    assert guess(TEXTS["english"], language="german") == "english"


@pytest.mark.parametrize(
    "reading", [{"language": None}, {"stop_words": []}, {"stop_words": ["cat"]}, {"stop_word_policy": "keep"}]
)
def test_own_rules_for_stop_words_are_no_sign_of_another_language(reading: dict[str, object]) -> None:
    assert guess(TEXTS["english"], **reading) is None


def test_a_list_of_keywords_looks_like_no_language() -> None:
    assert guess("support vector machine; kernel; data stream; frequent pattern mining") is None
